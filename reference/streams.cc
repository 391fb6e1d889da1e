// How the reference producer answers, and asks, for streams.
#include <cstdint>
#include <string>

#include "reference/producer_impl.h"

namespace dlpc {
namespace {

using enum Mutant;

// STREAM-03, -09: the stream of the request waits for the data, unless it stands for none.
int64_t WaitsOf(Mutant m, const Request& r) {
  if (r.stream != Arg::kValue || m == kStreamNotWaited) return 0;
  return r.stream_value != -1 || m == kMinusOneWaits ? 1 : 0;
}

// STREAM-04, -05: the stream that waits; on CUDA None stands for the legacy default stream, 1.
int64_t WaitingFor(Mutant m, const Plan& plan, const Request& r) {
  if (r.stream != Arg::kValue) {
    return plan.device.device_type == kDLCUDA && m != kNoneNotWaited ? 1 : -1;
  }
  if (m == kStreamNotWaited) return -1;
  return r.stream_value == 2 && m == kStreamTwoAsOne ? 1 : r.stream_value;
}

}  // namespace

void TellStreams(Mutant m, const Plan& plan, const Request& r, RefCapsule& capsule) {
  capsule.waits = WaitsOf(m, r);
  capsule.waiting = WaitingFor(m, plan, r);
  capsule.ends_stream = m == kStreamDestroyed && r.stream == Arg::kValue && r.stream_value > 2;
}

// STREAM-14: the default stream by its number.
Request RefProducer::ImportRequest(const RefArrayPtr& array) const {
  Request request = WithVersion(DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  const auto device = Label(array);
  const bool cuda = device && device->device_type == kDLCUDA;
  const bool rocm = device && device->device_type == kDLROCM;
  request.stream = Arg::kNone;
  if ((!cuda && !rocm) || impl_->mutant == kImportsOnNone) return request;
  request.stream = Arg::kValue;
  request.stream_value = cuda ? 1 : 0;
  return request;
}

std::string RefProducer::ImportText(const RefArrayPtr& array) const {
  Request asked = ImportRequest(array);
  asked.version = Arg::kAbsent;
  return RequestText(asked);
}

}  // namespace dlpc
