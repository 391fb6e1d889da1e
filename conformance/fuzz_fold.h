// Messages without what differs from script to script, so that findings of one kind fall together.
#ifndef DLPC_CONFORMANCE_FUZZ_FOLD_H_
#define DLPC_CONFORMANCE_FUZZ_FOLD_H_

#include <string>

#include "conformance/wording.h"

namespace dlpc {

/// `observed` with '#' for each number, address and list of numbers.
std::string FoldedText(const Wording& observed);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FUZZ_FOLD_H_
