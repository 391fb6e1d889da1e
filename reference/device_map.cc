#include "reference/device_map.h"

#include <fmt/format.h>

#include <limits>

#include "reference/contract.h"

namespace dlpc {
namespace {

using Id = DeviceRule::Id;

constexpr std::string_view kNoHardwareId =
    "Cannot describe an array on {platform}: its device has no local hardware id";
constexpr std::string_view kShardedText =
    "Cannot describe an array on {platform} that is sharded over {shards} devices";
constexpr std::string_view kHeaderCpu = "dlpack.h 1.3, kDLCPU; DLDevice.device_id: 0 (DEV-06)";
constexpr std::string_view kHeaderHost =
    "dlpack.h 1.3, DLDeviceType; DLDevice.device_id: 0 (DEV-07)";
constexpr std::string_view kHeaderManaged =
    "dlpack.h 1.3, DLDeviceType; DLDevice.device_id: 0 (DEV-08)";
constexpr std::string_view kHeaderDevice = "dlpack.h 1.3, DLDeviceType (DEV-09)";

// A device type of the header, numbered as the producing library numbers its devices.
constexpr DeviceRule OnDevice(std::string_view platform, int32_t type) {
  return {platform, "device", type, Id::kHardware, "", "", kHeaderDevice};
}

constexpr DeviceRule kGeneric[] = {
    {"cpu", "*", kDLCPU, Id::kZero, "", "", kHeaderCpu},
    {"cuda", "pinned_host", kDLCUDAHost, Id::kZero, "", "", kHeaderHost},
    {"rocm", "pinned_host", kDLROCMHost, Id::kZero, "", "", kHeaderHost},
    {"cuda", "managed", kDLCUDAManaged, Id::kZero, "", "", kHeaderManaged},
    {"cuda", "unpinned_host", kDLCPU, Id::kZero, "", "", kHeaderCpu},
    {"rocm", "unpinned_host", kDLCPU, Id::kZero, "", "", kHeaderCpu},
    {"oneapi", "unpinned_host", kDLCPU, Id::kZero, "", "", kHeaderCpu},
    OnDevice("cuda", kDLCUDA),
    OnDevice("rocm", kDLROCM),
    OnDevice("oneapi", kDLOneAPI),
    OnDevice("opencl", kDLOpenCL),
    OnDevice("vulkan", kDLVulkan),
    OnDevice("metal", kDLMetal),
    OnDevice("vpi", kDLVPI),
    OnDevice("webgpu", kDLWebGPU),
    OnDevice("hexagon", kDLHexagon),
    OnDevice("maia", kDLMAIA),
    OnDevice("trn", kDLTrn),
    {"extension", "device", kDLExtDev, Id::kHardware, "", "",
     "dlpack.h 1.3, kDLExtDev: meaning defined by the implementation (DEV-16)"},
    {"*", "*", 0, Id::kZero, "BufferError",
     "Cannot describe {memory_kind} memory on platform {platform} as a DLPack device",
     "array API 2025.12, data interchange: BufferError where DLPack cannot describe an array"},
};

struct Profile {
  std::string_view name;
  std::span<const DeviceRule> rules;
  std::string_view sharded;         // Text of the BufferError for several shards.
  std::string_view no_hardware_id;  // Likewise for a device without a number.
};

constexpr Profile kProfiles[] = {
    {"generic", kGeneric, kShardedText, kNoHardwareId},
};

constexpr std::string_view kProfileNames[] = {"generic"};

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

bool Matches(std::string_view pattern, std::string_view value) {
  return pattern == "*" || pattern == value;
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

Refusal Refuse(std::string_view exception, std::string_view message, const DeviceFacts& facts) {
  std::string text(message);
  Replace(text, "{shards}", fmt::format("{}", facts.shards));
  Replace(text, "{memory_kind}", facts.memory_kind);
  Replace(text, "{platform_version}", facts.platform_version);
  Replace(text, "{platform}", facts.platform);
  return {std::string(exception), std::move(text)};
}

// A pipe would end a Markdown cell.
std::string Cell(std::string_view text) {
  std::string cell(text);
  Replace(cell, "|", "\\|");
  return cell;
}

std::string RowMarkdown(const DeviceRule& rule) {
  std::string answer;
  if (rule.device_type == 0) {
    answer = fmt::format("{}: {}", rule.exception, rule.message);
  } else {
    answer = fmt::format("{} {} {}", DeviceTypeName(rule.device_type), rule.device_type,
                         rule.id == Id::kZero ? "0" : "hardware id");
  }
  return fmt::format("| {} | {} | {} | {} |\n", Cell(rule.platform), Cell(rule.memory_kind),
                     Cell(answer), Cell(rule.citation));
}

}  // namespace

std::span<const std::string_view> DeviceProfiles() { return kProfileNames; }

std::span<const DeviceRule> DeviceRules(std::string_view profile) {
  const Profile* found = FindProfile(profile);
  return found == nullptr ? std::span<const DeviceRule>() : found->rules;
}

DeviceAnswerOrRefusal MapDevice(std::string_view profile, const DeviceFacts& facts) {
  const Profile* found = FindProfile(profile);
  if (found == nullptr) return Refuse("BufferError", "Unknown device map profile", facts);
  if (facts.shards != 1) return Refuse("BufferError", found->sharded, facts);
  for (const DeviceRule& rule : found->rules) {
    if (!Matches(rule.platform, facts.platform) || !Matches(rule.memory_kind, facts.memory_kind)) {
      continue;
    }
    if (rule.device_type == 0) return Refuse(rule.exception, rule.message, facts);
    const auto type = static_cast<DLDeviceType>(rule.device_type);
    if (rule.id == Id::kZero) return DLDevice{type, 0};
    const int64_t id =
        facts.hardware_id.value_or(-1);  // A missing id is as bad as an impossible one.
    if (id < 0 || id > std::numeric_limits<int32_t>::max()) {
      return Refuse("BufferError", found->no_hardware_id, facts);
    }
    return DLDevice{type, static_cast<int32_t>(id)};
  }
  return Refuse("BufferError", "No rule of the device map matches {platform}", facts);
}

bool SupportsDLPack(std::string_view profile, const DeviceFacts& facts) {
  return std::holds_alternative<DLDevice>(MapDevice(profile, facts));
}

std::string MapText(const DeviceAnswerOrRefusal& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return fmt::format("{}: {}", refusal->exception, refusal->message);
  }
  const DLDevice device = *std::get_if<DLDevice>(&answer);
  return fmt::format("{} {} {}", DeviceTypeName(device.device_type),
                     static_cast<int32_t>(device.device_type), device.device_id);
}

std::string DeviceMapMarkdown(std::string_view profile) {
  const Profile* found = FindProfile(profile);
  if (found == nullptr) return "";
  std::string text = "| platform | memory kind | answer | source |\n|---|---|---|---|\n";
  text += fmt::format("| * | more than one shard | BufferError: {} | DEV-13 |\n", found->sharded);
  for (const DeviceRule& rule : found->rules) text += RowMarkdown(rule);
  return text;
}

}  // namespace dlpc
