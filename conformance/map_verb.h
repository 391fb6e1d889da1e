// `dlpack-conformance map`: questions to the reference device map as lines of JSON.
#ifndef DLPC_CONFORMANCE_MAP_VERB_H_
#define DLPC_CONFORMANCE_MAP_VERB_H_

#include <string>
#include <string_view>

#include "reference/expected.h"

namespace dlpc {

/// Answers one question:
///   {"profile": "jax@0.10", "platform": "tpu", "platform_version": "", "memory_kind": "device",
///    "hardware_id": 0, "shards": 1, "devices": 1, "device": ""}
/// What is left out is as on the command line: `profile` is the given one, no hardware id means
/// none (null likewise), devices means shards. The answer has no line end:
///   {"device_type": 20, "device_id": 0, "text": "kDLTPUHost 20 0"} or
///   {"exception": "BufferError", "message": "...", "text": "BufferError: ..."}
Expected<std::string> AnswerMapQuestion(std::string_view line, const std::string& profile);

/// {"error": "..."}
std::string MapErrorJson(const std::string& message);

/// "no profile 'x' (there are: ...)"; empty if there is.
std::string NoSuchDeviceProfile(std::string_view profile);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_MAP_VERB_H_
