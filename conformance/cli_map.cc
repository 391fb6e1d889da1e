#include "conformance/cli_map.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "conformance/map_verb.h"

namespace dlpc {
namespace {

constexpr int kUsage = 2;

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int MapBatch(const std::string& profile) {
  bool ok = true;
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = AnswerMapQuestion(line, profile);
    if (!answer) ok = false;
    Print(answer ? *answer + "\n" : MapErrorJson(answer.error().message) + "\n");
  }
  return ok ? 0 : kUsage;
}

}  // namespace

void AddMapOptions(CLI::App* map, MapOptions* options) {
  options->facts.hardware_id.reset();
  map->add_option(
         "--profile", options->profile,
         "a layer of a framework: " + fmt::format("{}", fmt::join(DeviceProfiles(), ", ")) +
             "; jax and jaxlib take any release behind '@'")
      ->capture_default_str();
  map->add_option("--platform", options->facts.platform)->capture_default_str();
  map->add_option("--platform-version", options->facts.platform_version);
  map->add_option("--memory-kind", options->facts.memory_kind)->capture_default_str();
  map->add_option("--hardware-id", options->facts.hardware_id,
                  "local hardware id; left out means none");
  map->add_option("--shards", options->facts.shards, "parts of the array in this process")
      ->check(CLI::Range(0, 1 << 20));
  map->add_option("--devices", options->facts.devices,
                  "devices that the array is on; left out: as many as shards")
      ->check(CLI::Range(1, 1 << 20));
  map->add_option("--device", options->facts.device, "the framework's text for the device");
  map->add_flag("--batch", options->batch, "questions as lines of JSON on stdin, answers likewise");
  map->add_flag("--markdown", options->markdown,
                "the table of the profile; of all if none is given");
}

int MapVerb(const CLI::App& map, MapOptions& options) {
  if (std::string none = NoSuchDeviceProfile(options.profile); !none.empty()) {
    fmt::print(stderr, "dlpack-conformance: {}\n", none);
    return kUsage;
  }
  if (options.batch) return MapBatch(options.profile);
  if (options.markdown) {
    Print(map.count("--profile") > 0 ? DeviceMapMarkdown(options.profile) : DeviceMapDocument());
    return 0;
  }
  if (map.count("--devices") == 0) options.facts.devices = options.facts.shards;
  Print(MapText(MapDevice(options.profile, options.facts)) + "\n");
  return 0;
}

}  // namespace dlpc
