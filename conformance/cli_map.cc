#include "conformance/cli_map.h"

#include <cstdio>
#include <iostream>

#include "conformance/complain.h"
#include "conformance/map_verb.h"

namespace dlpc {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int MapBatch(const std::string& profile) {
  bool ok = true;
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = AnswerMapQuestion(line, profile);
    if (!answer) ok = false;
    Print(answer ? *answer + "\n" : MapErrorJson(answer.error().message) + "\n");
  }
  return ok ? kAsExpected : kUsage;
}

}  // namespace

int MapVerb(const MapOptions& options) {
  const std::string profile = options.profile.value_or("generic");
  if (std::string none = NoSuchDeviceProfile(profile); !none.empty()) {
    return Complain(kUsage, none);
  }
  if (options.batch) return MapBatch(profile);
  if (options.markdown) {
    Print(options.profile ? DeviceMapMarkdown(profile) : DeviceMapDocument());
    return kAsExpected;
  }
  DeviceFacts facts = options.facts;
  facts.devices = options.devices.value_or(facts.shards);
  Print(MapText(MapDevice(profile, facts)) + "\n");
  return kAsExpected;
}

}  // namespace dlpc
