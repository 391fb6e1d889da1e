// What the judges of the exchange table share.
#ifndef DLPC_CONFORMANCE_XAPI_PARTS_H_
#define DLPC_CONFORMANCE_XAPI_PARTS_H_

#include <string>

#include "conformance/evidence.h"

namespace dlpc {

/// The nth call of a function; nullptr if it was not made, or an exception came out (XAPI-13).
const TableCall* Call(const Evidence& e, Op op, int nth = 0);
/// Why Call is nullptr.
Wording WhyNoCall(const Evidence& e, Op op, int nth = 0);
/// It succeeded and gave something.
bool Gave(const TableCall& call);

/// The struct of an inspect step if it could be read as a versioned one.
const Inspected* VersionedTensor(const Evidence& e, int nth);

/// XAPI-23: what is wrong with a struct; nullptr: nothing.
const char* WrongStruct(const Inspected& in, bool versioned);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_XAPI_PARTS_H_
