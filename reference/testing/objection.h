// The negotiation oracle against what the reference producer does: for tests and fuzzers.
#ifndef DLPC_REFERENCE_TESTING_OBJECTION_H_
#define DLPC_REFERENCE_TESTING_OBJECTION_H_

#include <optional>
#include <string>

#include "reference/producer.h"

namespace dlpc {

/// What the oracle has against the answer to `request`, if anything. Pre: the array has a device.
std::optional<std::string> NegotiationObjection(RefProducer& producer, const RefArrayPtr& array,
                                                const Request& request);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_TESTING_OBJECTION_H_
