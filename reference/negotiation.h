// The negotiation oracle: what a producer must do with the arguments of `__dlpack__`.
#ifndef DLPC_REFERENCE_NEGOTIATION_H_
#define DLPC_REFERENCE_NEGOTIATION_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <string>

#include "reference/request.h"

namespace dlpc {

/// What is known of the array that is exported.
struct ExportFacts {
  DLDevice device{kDLCPU, 0};  // The array's own.
  bool read_only = false;
  bool has_streams = false;  // The device has streams (CUDA, ROCm).
};

/// The set of outcomes that the rules allow for one request. Several bits may be set.
enum Allowed : uint32_t {
  kLegacyCapsule = 1 << 0,
  kVersionedCapsule = 1 << 1,
  kBufferError = 1 << 2,
  kTypeError = 1 << 3,  // Signature errors: unknown keyword, positional, wrong type.
  kValueError = 1 << 4,
  kAnyError = 1 << 5,  // Any exception class.
};

enum class CopyRule : uint8_t { kMustShare, kMustCopy, kMayCopy };

/// What must come back.
struct Negotiated {
  uint32_t allowed = 0;      // Allowed bits by MUST rules.
  uint32_t recommended = 0;  // Subset that SHOULD rules prefer; 0: no preference.
  CopyRule copy = CopyRule::kMayCopy;
  bool device_known = false;  // The capsule's device must be `device`.
  DLDevice device{kDLCPU, 0};
  std::string rule;  // Requirement ids that decide, e.g. "VER-03, COPY-04".
};

/// Pure and total.
Negotiated Negotiate(const ExportFacts& facts, const Request& request);

/// "a versioned capsule that shares memory, or BufferError".
std::string NegotiatedText(const Negotiated& negotiated);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_NEGOTIATION_H_
