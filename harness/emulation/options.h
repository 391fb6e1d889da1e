// What accelerator to emulate: from the plug-in's create options, else from the environment.
#ifndef DLPC_HARNESS_EMULATION_OPTIONS_H_
#define DLPC_HARNESS_EMULATION_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/emulation/pjrt_args.h"

namespace dlpc::emulation {

struct Options {
  std::string platform = "tpu";
  std::string platform_version = "tpu emulated";
  std::string device_kind = "emulated";
  std::vector<std::string> memories = {"device", "pinned_host", "unpinned_host"};
  std::vector<int32_t> hardware_ids = {0};  // One per device; -1: the device has none.
  int64_t stream = 1514;                    // Named to those who ask for a device's stream.
};

/// Value of an environment variable, nullptr when unset.
using Environment = std::function<const char*(const char* name)>;

/// Options, or what is wrong with them. An option is named like its variable, in small letters:
/// dlpc_emu_platform for DLPC_EMU_PLATFORM. Lists are separated by commas. Options that are not
/// ours (JAX adds some) are passed over, unknown ones that look like ours are an error.
std::variant<Options, std::string> ReadOptions(std::span<const NamedValue> given,
                                               const Environment& environment);

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_OPTIONS_H_
