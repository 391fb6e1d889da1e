#include "fuzz/map_facts.h"

#include <string>
#include <string_view>

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

}  // namespace

DeviceFacts TakeFacts(InputReader& reader) {
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

}  // namespace dlpc
