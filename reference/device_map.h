// Where an array lives -> the DLDevice it must report, or the refusal it must raise. Data, not
// code: one constexpr table per profile.
#ifndef DLPC_REFERENCE_DEVICE_MAP_H_
#define DLPC_REFERENCE_DEVICE_MAP_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace dlpc {

/// What is known of an array's place.
struct DeviceFacts {
  std::string platform = "cpu";            // "cpu", "cuda", "rocm", "oneapi", "tpu", "metal", ...
  std::string platform_version;            // "cuda 12090"
  std::string memory_kind = "device";      // "device", "pinned_host", "unpinned_host", "managed"
  std::optional<int64_t> hardware_id = 0;  // Local index of the device.
  int64_t shards = 1;
};

/// How the producer must refuse.
struct Refusal {
  std::string exception;  // "BufferError"
  std::string message;
};

using DeviceAnswerOrRefusal = std::variant<DLDevice, Refusal>;

/// One row: the first row of a profile whose conditions hold decides. "*" matches anything.
struct DeviceRule {
  std::string_view platform;
  std::string_view memory_kind;
  int32_t device_type;  // 0: refuse.
  enum class Id : uint8_t { kZero, kHardware } id;
  std::string_view exception;  // For refusals.
  std::string_view message;    // For refusals; {platform} etc. are replaced.
  std::string_view citation;
};

/// Names of all profiles; "generic" is always there.
std::span<const std::string_view> DeviceProfiles();

/// nullptr-like empty span for an unknown profile.
std::span<const DeviceRule> DeviceRules(std::string_view profile);

/// Total: every input has exactly one answer. Pre: the profile exists.
DeviceAnswerOrRefusal MapDevice(std::string_view profile, const DeviceFacts& facts);

/// Whether the map answers with a device: the guard that callers need. Derived from the same table.
bool SupportsDLPack(std::string_view profile, const DeviceFacts& facts);

/// "kDLTPUHost 20 0", or "BufferError: message".
std::string MapText(const DeviceAnswerOrRefusal& answer);

/// The table of a profile as Markdown.
std::string DeviceMapMarkdown(std::string_view profile);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_DEVICE_MAP_H_
