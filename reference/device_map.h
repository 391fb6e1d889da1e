// Where an array lives -> the DLDevice it must report, or the refusal it must raise. Data, not
// code: constexpr tables, one for each profile (device_map_jax.cc, device_map_torch.cc, ...).
//
// A profile is one layer of one framework. Where a framework changed, its name takes a version:
// "jax" is the newest table, "jax@0.10" (or "jax@0.9.2") the one that held for that release.
#ifndef DLPC_REFERENCE_DEVICE_MAP_H_
#define DLPC_REFERENCE_DEVICE_MAP_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dlpc {

/// What is known of an array's place.
struct DeviceFacts {
  std::string platform = "cpu";            // The framework's name: "cpu", "cuda", "tpu", "mps", ...
  std::string platform_version;            // "cuda 12090"; for torch and cupy the build, "hip 6.3".
  std::string memory_kind = "device";      // "device", "pinned_host", "unpinned_host", "managed"
  std::optional<int32_t> hardware_id = 0;  // Local index of the device; none: it has no index.
  int64_t shards = 1;                      // Parts of the array that this process holds.
  int64_t devices = 1;                     // Devices that the whole array is on.
  std::string device;  // The framework's text for the device; empty: "platform:id" stands in.

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

/// How the producer must refuse.
struct Refusal {
  std::string exception;  // "BufferError"
  std::string message;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

using DeviceAnswerOrRefusal = std::variant<DLDevice, Refusal>;

/// One row: the first row of a profile whose conditions all hold decides.
struct DeviceRule {
  enum class When : uint8_t {
    kAlways,
    kNotOneShard,  // shards != 1
    kManyDevices,  // devices > 1
    kNoId,         // The device has no hardware id.
    kBadId,        // Likewise, or a negative one.
  };
  enum class Id : uint8_t {
    kZero,
    kHardware,         // Pre: an earlier row refuses arrays without one.
    kHardwareOrZero,   // 0 where there is none.
    kHardwareOrMinus,  // -1 where there is none.
  };

  // "cuda|rocm": one of these; "*": anything.
  std::string_view platform = "*";     // Exact, upper and lower case differ.
  std::string_view version = "*";      // Contained in the text; "~cuda": whatever the case.
  std::string_view memory_kind = "*";  // Exact.
  When when = When::kAlways;
  int32_t device_type = 0;          // 0: refuse.
  Id id = Id::kZero;                // For answers.
  std::string_view exception = {};  // For refusals.
  std::string_view message = {};    // For refusals; {platform} etc. are replaced.
  std::string_view citation = {};
};

/// Class of refusals where the framework can have no array at all, and so has no text of its own.
inline constexpr std::string_view kNoSuchArray = "NoSuchArray";

/// Names of all profiles, older tables included; "generic" is always there.
std::vector<std::string_view> DeviceProfiles();

/// Empty for an unknown profile. Takes any version: "jax@0.9.2" is answered by "jax@0.10".
std::span<const DeviceRule> DeviceRules(std::string_view profile);

/// Index of the row that decides; rules.size() if none does.
size_t DecidingRule(std::span<const DeviceRule> rules, const DeviceFacts& facts);

/// Total for the rules of a profile: every input has exactly one answer.
DeviceAnswerOrRefusal MapDevice(std::span<const DeviceRule> rules, const DeviceFacts& facts);
DeviceAnswerOrRefusal MapDevice(std::string_view profile, const DeviceFacts& facts);

/// Whether the map answers with a device: the guard that callers need. Derived from the same table.
bool SupportsDLPack(std::span<const DeviceRule> rules, const DeviceFacts& facts);
bool SupportsDLPack(std::string_view profile, const DeviceFacts& facts);

/// "kDLTPUHost 20 0", or "BufferError: message".
std::string MapText(const DeviceAnswerOrRefusal& answer);

/// Facts that tell all rows of all tables apart, plainest first: every value that some row names,
/// and values that none does.
std::vector<DeviceFacts> EveryDeviceFacts();

/// The table of a profile as Markdown; empty for an unknown profile.
std::string DeviceMapMarkdown(std::string_view profile);

/// Where the query and the capsule of one framework disagree, found by trying EveryDeviceFacts().
std::string DeviceDisagreementsMarkdown();

/// docs/device-map.md: all tables and the disagreements.
std::string DeviceMapDocument();

}  // namespace dlpc

#endif  // DLPC_REFERENCE_DEVICE_MAP_H_
