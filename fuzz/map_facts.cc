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
void TakeText(InputReader& reader, std::string& text) {
  const auto tag = reader.Take<uint8_t>();
  if (tag >= 240) {
    text.clear();
    for (int left = tag % 16; left > 0; --left) text += static_cast<char>(reader.Take<uint8_t>());
    return;
  }
  text = kWords[tag % std::size(kWords)];
  if (tag >= 200) text += kWords[reader.Take<uint8_t>() % std::size(kWords)];
}

int64_t TakeCount(InputReader& reader) {
  const auto tag = reader.Take<uint8_t>();
  return tag < 160 ? 1 : tag < 250 ? tag % 5 : reader.Take<int64_t>();
}

}  // namespace

void TakeFacts(InputReader& reader, DeviceFacts& facts) {
  TakeText(reader, facts.platform);
  TakeText(reader, facts.platform_version);
  TakeText(reader, facts.memory_kind);
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
  facts.device.clear();
  if (reader.Take<uint8_t>() % 4 == 3) TakeText(reader, facts.device);
}

}  // namespace dlpc
