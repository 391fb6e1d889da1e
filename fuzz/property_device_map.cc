#include <algorithm>
#include <array>
#include <string>

#include "fuzz/properties.h"
#include "harness/input_reader.h"
#include "reference/device_map.h"
#include "reference/testing/device_map_oracle.h"

namespace dlpc {
namespace {

// Words that some framework uses; inputs mix them with each other and with bytes of their own.
constexpr std::string_view kWords[] = {"cpu",         "CPU",
                                       "cuda",        "rocm",
                                       "oneapi",      "gpu",
                                       "GPU",         "tpu",
                                       "xpu",         "mps",
                                       "meta",        "hip",
                                       "xla",         "opencl",
                                       "privateuse1", "vulkan",
                                       "metal",       "vpi",
                                       "webgpu",      "hexagon",
                                       "maia",        "trn",
                                       "extension",   "Cuda",
                                       "METAL",       "privateuseone",
                                       "cuda 12090",  "rocm 60300",
                                       "oneapi 2025", "PJRT C API\n",
                                       "{device}",    "device",
                                       "pinned_host", "unpinned_host",
                                       "managed",     "CUDA:0",
                                       "hip 6.3",     "",
                                       "{",           "}"};

// One word of the list, two of them in a row, or up to 15 bytes of the input.
std::string TakeText(InputReader& reader) {
  const auto tag = reader.Take<uint8_t>();
  if (tag < 200) return std::string(kWords[tag % std::size(kWords)]);
  if (tag < 240) {
    const auto other = reader.Take<uint8_t>();
    return std::string(kWords[tag % std::size(kWords)]).append(kWords[other % std::size(kWords)]);
  }
  std::string text;
  for (int left = tag % 16; left > 0; --left) text += static_cast<char>(reader.Take<uint8_t>());
  return text;
}

int64_t TakeCount(InputReader& reader) {
  const auto tag = reader.Take<uint8_t>();
  return tag < 160 ? 1 : tag < 250 ? tag % 5 : reader.Take<int64_t>();
}

DeviceFacts Decode(InputReader& reader) {
  DeviceFacts facts;
  facts.platform = TakeText(reader);
  facts.platform_version = TakeText(reader);
  facts.memory_kind = TakeText(reader);
  const auto id = reader.Take<uint8_t>();
  if (id == 255) {
    facts.hardware_id = reader.Take<int32_t>();
  } else if (id >= 192) {
    facts.hardware_id.reset();
  } else {
    facts.hardware_id = id % 16 - 2;
  }
  facts.shards = TakeCount(reader);
  facts.devices = TakeCount(reader);
  if (reader.Take<uint8_t>() % 4 == 3) facts.device = TakeText(reader);
  return facts;
}

bool Same(const DeviceAnswerOrRefusal& a, const DeviceAnswerOrRefusal& b) {
  if (a.index() != b.index()) return false;
  if (const auto* refusal = std::get_if<Refusal>(&a)) return *refusal == *std::get_if<Refusal>(&b);
  const DLDevice x = *std::get_if<DLDevice>(&a), y = *std::get_if<DLDevice>(&b);
  return x.device_type == y.device_type && x.device_id == y.device_id;
}

// A class that could be one, and a text in which every placeholder is filled in.
Broken WellFormed(const Refusal& refusal, const DeviceFacts& facts) {
  const std::string& name = refusal.exception;
  const bool named = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!named) return "no class: '" + name + "'";
  if (refusal.message.empty()) return "a refusal without a text";
  const auto braced = [](const std::string& text) { return text.find('{') != text.npos; };
  const bool given = braced(facts.platform) || braced(facts.platform_version) ||
                     braced(facts.memory_kind) || braced(facts.device);
  if (!given && braced(refusal.message)) return "a hole in the text: " + refusal.message;
  return std::nullopt;
}

}  // namespace

Broken PropertyDeviceMap(std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
  const auto oracles = MapOracles();
  const MapOracle& oracle = oracles[reader.Take<uint8_t>() % oracles.size()];
  const DeviceFacts facts = Decode(reader);
  // Found by name at first only: a target spends its time on the facts.
  static const std::array<std::span<const DeviceRule>, 32> rules = [&] {
    std::array<std::span<const DeviceRule>, 32> all;
    for (size_t i = 0; i < oracles.size(); ++i) all[i] = DeviceRules(oracles[i].profile);
    return all;
  }();
  const auto table = rules[static_cast<size_t>(&oracle - oracles.data())];
  const DeviceAnswerOrRefusal answer = MapDevice(table, facts);
  const std::string where = std::string(oracle.profile) + ": ";
  if (DecidingRule(table, facts) >= table.size()) return where + "no row decides";
  const DeviceAnswerOrRefusal wanted = oracle.answer(facts);
  if (!Same(answer, wanted)) {
    return where + "table " + MapText(answer) + ", oracle " + MapText(wanted);
  }
  const bool device = std::holds_alternative<DLDevice>(answer);
  if (SupportsDLPack(oracle.profile, facts) != device) return where + "guard and map disagree";
  if (device) return std::nullopt;
  auto broken = WellFormed(*std::get_if<Refusal>(&answer), facts);
  return broken ? where + *broken : broken;
}

}  // namespace dlpc
