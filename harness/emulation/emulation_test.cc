// The plug-in without JAX: through its function table only, as any caller would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "harness/emulation/elements.h"
#include "harness/emulation/options.h"
#include "harness/emulation/plugin.h"
#include "harness/emulation/program.h"

namespace dlpc::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename Args>
Args Make() {
  Args args = {};
  args.header.struct_size = sizeof args;
  return args;
}

template <typename Args>
Error* Call(Slot slot, Args& args) {
  return GetPjrtApi()->slots[static_cast<size_t>(slot)](&args);
}

/// "12: text", and the error is destroyed. "" for success.
std::string Take(Error* error) {
  if (error == nullptr) return "";
  auto message = Make<TextArgs<const Error>>();
  message.self = error;
  Call(Slot::kError_Message, message);
  auto code = Make<ErrorCodeArgs>();
  code.self = error;
  Call(Slot::kError_GetCode, code);
  std::string text =
      std::to_string(static_cast<int>(code.code)) + ": " + std::string(message.text, message.size);
  auto destroy = Make<SelfArgs<Error>>();
  destroy.self = error;
  Call(Slot::kError_Destroy, destroy);
  return text;
}

NamedValue Text(const char* name, const char* value) {
  NamedValue option = {};
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = NamedValue::Type::kText;
  option.text = value;
  option.size = std::strlen(value);
  return option;
}

class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const NamedValue options[] = {
        Text("dlpc_emu_platform", "cuda"), Text("dlpc_emu_memories", "device,pinned_host"),
        Text("dlpc_emu_hardware_ids", "4,-1"), Text("visible_devices", "not ours")};
    auto args = Make<ClientCreateArgs>();
    args.options = options;
    args.options_count = std::size(options);
    ASSERT_EQ(Take(Call(Slot::kClient_Create, args)), "");
    client_ = args.client;
    auto list = Make<ListArgs<Client, Device>>();
    list.self = client_;
    ASSERT_EQ(Take(Call(Slot::kClient_Devices, list)), "");
    devices_.assign(list.items, list.items + list.count);
  }
  void TearDown() override { Destroy(Slot::kClient_Destroy, client_); }

  template <typename T>
  static void Destroy(Slot slot, T* object) {
    auto args = Make<SelfArgs<T>>();
    args.self = object;
    EXPECT_EQ(Take(Call(slot, args)), "");
  }

  template <typename T, typename V>
  static V Value(Slot slot, T* object) {
    auto args = Make<ValueArgs<T, V>>();
    args.self = object;
    EXPECT_EQ(Take(Call(slot, args)), "");
    return args.value;
  }

  /// Makes args_.buffer of `data`.
  std::string FromHost(const void* data, ElementType type, const std::vector<int64_t>& dims,
                       const std::vector<int64_t>& byte_strides = {}) {
    args_ = Make<FromHostArgs>();
    args_.client = client_;
    args_.data = data;
    args_.type = type;
    args_.dims = dims.data();
    args_.rank = dims.size();
    args_.byte_strides = byte_strides.empty() ? nullptr : byte_strides.data();
    args_.strides_count = byte_strides.size();
    args_.device = devices_[0];
    std::string error = Take(Call(Slot::kClient_BufferFromHostBuffer, args_));
    if (error.empty()) Destroy(Slot::kEvent_Destroy, args_.done);
    return error;
  }

  std::string ToHost(Buffer* buffer, std::vector<uint8_t>& bytes) {
    auto args = Make<ToHostArgs>();
    args.self = buffer;
    std::string error = Take(Call(Slot::kBuffer_ToHostBuffer, args));  // How much?
    if (!error.empty()) return error;
    bytes.assign(args.size, 0xEE);
    args.data = bytes.data();
    error = Take(Call(Slot::kBuffer_ToHostBuffer, args));
    if (error.empty()) Destroy(Slot::kEvent_Destroy, args.event);
    return error;
  }

  Client* client_ = nullptr;
  std::vector<Device*> devices_;
  FromHostArgs args_ = {};
};

TEST_F(PluginTest, EverySlotIsThereAndEmptyOnesSayTheirName) {
  const Slot empty[] = {Slot::kCompile, Slot::kExecutable_Serialize, Slot::kDevice_MemoryStats,
                        Slot::kCopyToDeviceStream_AddChunk, Slot::kTopologyDescription_Create};
  for (size_t i = 0; i < kSlots; ++i) ASSERT_NE(GetPjrtApi()->slots[i], nullptr) << kSlotNames[i];
  for (const Slot slot : empty) {
    auto args = Make<SelfArgs<Client>>();
    const char* name = kSlotNames[static_cast<size_t>(slot)];
    const int64_t calls = dlpc_emulation_calls(name);
    EXPECT_EQ(Take(Call(slot, args)),
              "12: " + std::string(name) + " is not implemented by the emulation.");
    EXPECT_EQ(dlpc_emulation_calls(name), calls + 1);
  }
  EXPECT_EQ(dlpc_emulation_calls("PJRT_No_Such"), -1);
}

TEST_F(PluginTest, BehindTheTableIsStillSomethingToCall) {
  const char* end = reinterpret_cast<const char*>(GetPjrtApi()) + GetPjrtApi()->header.struct_size;
  auto args = Make<SelfArgs<Executable>>();
  for (int newer = 0; newer < 160; ++newer) {
    Function function = nullptr;
    std::memcpy(&function, end + static_cast<size_t>(newer) * sizeof function, sizeof function);
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(Take(function(&args)), "12: the emulation has no function newer than PJRT 0.40.");
  }
}

TEST_F(PluginTest, ShortArgumentsAreRefused) {
  auto args = Make<ListArgs<Client, Device>>();
  args.header.struct_size -= sizeof args.count;
  EXPECT_THAT(Take(Call(Slot::kClient_Devices, args)), HasSubstr("too short"));
  auto flag = Make<ValueArgs<Device, bool>>();  // Its size leaves out the padding.
  flag.header.struct_size = offsetof(decltype(flag), value) + 1;
  flag.self = devices_[0];
  EXPECT_EQ(Take(Call(Slot::kDevice_IsAddressable, flag)), "");
}

TEST_F(PluginTest, DevicesHaveTheirHardwareIds) {
  ASSERT_EQ(devices_.size(), 2u);
  EXPECT_EQ((Value<Device, int32_t>(Slot::kDevice_LocalHardwareId, devices_[0])), 4);
  EXPECT_EQ((Value<Device, int32_t>(Slot::kDevice_LocalHardwareId, devices_[1])), -1);
  auto args = Make<LookupArgs>();
  args.client = client_;
  args.id = 4;
  EXPECT_EQ(Take(Call(Slot::kClient_LookupAddressableDevice, args)), "");
  EXPECT_EQ(args.device, devices_[0]);
  args.id = 7;
  EXPECT_EQ(Take(Call(Slot::kClient_LookupAddressableDevice, args)),
            "3: No matching device found for local_device_id 7");
}

TEST_F(PluginTest, StridedElementsComeBackRowMajor) {
  const int16_t data[] = {0, 1, 2, 3, 4, 5};  // Seen as its transpose, rows backwards.
  ASSERT_EQ(FromHost(data + 4, ElementType::kS16, {3, 2}, {-4, 2}), "");
  std::vector<uint8_t> bytes;
  ASSERT_EQ(ToHost(args_.buffer, bytes), "");
  EXPECT_THAT(bytes, ElementsAre(4, 0, 5, 0, 2, 0, 3, 0, 0, 0, 1, 0));
  Destroy(Slot::kBuffer_Destroy, args_.buffer);
}

TEST_F(PluginTest, NarrowElementsArePackedLowBitsFirst) {
  const uint8_t data[] = {1, 2, 15};
  ASSERT_EQ(FromHost(data, ElementType::kU4, {3}), "");
  EXPECT_EQ((Value<Buffer, size_t>(Slot::kBuffer_OnDeviceSizeInBytes, args_.buffer)), 2u);
  const auto* device = static_cast<uint8_t*>(
      Value<Buffer, void*>(Slot::kBuffer_OpaqueDeviceMemoryDataPointer, args_.buffer));
  EXPECT_EQ(device[0], 0x21);
  EXPECT_EQ(device[1], 0x0F);
  std::vector<uint8_t> bytes;
  ASSERT_EQ(ToHost(args_.buffer, bytes), "");
  EXPECT_THAT(bytes, ElementsAre(1, 2, 15));
  Destroy(Slot::kBuffer_Destroy, args_.buffer);
}

TEST_F(PluginTest, ScalarsAndEmptyArrays) {
  const double scalar = 7;
  std::vector<uint8_t> bytes;
  ASSERT_EQ(FromHost(&scalar, ElementType::kF64, {}), "");
  ASSERT_EQ(ToHost(args_.buffer, bytes), "");
  double read = 0;
  ASSERT_EQ(bytes.size(), sizeof read);
  std::memcpy(&read, bytes.data(), sizeof read);
  EXPECT_EQ(read, scalar);
  Destroy(Slot::kBuffer_Destroy, args_.buffer);
  ASSERT_EQ(FromHost(&scalar, ElementType::kF64, {2, 0}), "");
  EXPECT_NE((Value<Buffer, void*>(Slot::kBuffer_UnsafePointer, args_.buffer)), nullptr);
  ASSERT_EQ(ToHost(args_.buffer, bytes), "");
  EXPECT_THAT(bytes, IsEmpty());
  Destroy(Slot::kBuffer_Destroy, args_.buffer);
}

TEST_F(PluginTest, UnknownElementTypesAreRefused) {
  const int data = 0;
  EXPECT_THAT(FromHost(&data, ElementType::kToken, {1}), HasSubstr("12: element type 23"));
  EXPECT_THAT(FromHost(&data, static_cast<ElementType>(99), {1}), HasSubstr("12: element type 99"));
  EXPECT_THAT(FromHost(&data, static_cast<ElementType>(-1), {1}), HasSubstr("12: element type -1"));
}

TEST_F(PluginTest, BytesOutliveDeletionWhileHeld) {
  const uint8_t data[] = {1, 2, 3};
  ASSERT_EQ(FromHost(data, ElementType::kU8, {3}), "");
  Buffer* buffer = args_.buffer;
  Destroy(Slot::kBuffer_IncreaseExternalReferenceCount, buffer);
  Destroy(Slot::kBuffer_Delete, buffer);
  EXPECT_TRUE((Value<Buffer, bool>(Slot::kBuffer_IsDeleted, buffer)));
  std::vector<uint8_t> bytes;
  EXPECT_EQ(ToHost(buffer, bytes), "");
  EXPECT_THAT(bytes, ElementsAre(1, 2, 3));
  Destroy(Slot::kBuffer_DecreaseExternalReferenceCount, buffer);
  EXPECT_EQ(ToHost(buffer, bytes), "9: the buffer has been deleted");
  Destroy(Slot::kBuffer_Destroy, buffer);
}

TEST_F(PluginTest, ViewsShareMemoryAndTellTheOwnerOnce) {
  int32_t data[] = {3, 1, 4};
  int deleted = 0;
  const int64_t dims[] = {3};
  ViewWithMemoryArgs view = {};
  view.view.header.struct_size = sizeof view;
  view.view.client = client_;
  view.view.data = data;
  view.view.dims = dims;
  view.view.rank = 1;
  view.view.type = ElementType::kS32;
  view.view.device = devices_[0];
  view.view.on_delete = [](void*, void* user) { ++*static_cast<int*>(user); };
  view.view.on_delete_user = &deleted;
  ASSERT_EQ(Take(Call(Slot::kClient_CreateViewOfDeviceBuffer, view.view)), "");
  Buffer* buffer = view.view.buffer;
  EXPECT_EQ((Value<Buffer, void*>(Slot::kBuffer_UnsafePointer, buffer)), data);
  EXPECT_EQ(deleted, 0);
  Destroy(Slot::kBuffer_Destroy, buffer);
  EXPECT_EQ(deleted, 1);
}

TEST_F(PluginTest, WaitsAreCountedByStream) {
  const auto* extension = static_cast<const StreamExtension*>(GetPjrtApi()->header.extensions);
  ASSERT_NE(extension, nullptr);
  const int64_t all = dlpc_emulation_all_waits();
  const int64_t minus_one = dlpc_emulation_waits(-1);
  WaitOnStreamArgs wait = {sizeof wait, -1, nullptr};
  EXPECT_EQ(extension->wait_on_stream(&wait), nullptr);
  EXPECT_EQ(dlpc_emulation_waits(-1), minus_one + 1);
  EXPECT_EQ(dlpc_emulation_waits(12345), 0);
  EXPECT_EQ(dlpc_emulation_all_waits(), all + 1);
  GetStreamArgs get = {sizeof get, devices_[0], 0};
  EXPECT_EQ(extension->get_stream(&get), nullptr);
  EXPECT_EQ(get.stream, 1514);
}

std::string Names(std::initializer_list<std::string_view> names) {
  std::string code = "ML\xefR\x01StableHLO_v0.9.0";
  for (const std::string_view name : names) {
    code += '\0';
    code += name;
  }
  return code + '\0';
}

TEST(ProgramTest, OnlyTheCopyIsRun) {
  const std::string copy = Names({"vhlo", "func_v1", "return_v1", "jit_copy", "result", "main"});
  EXPECT_EQ(WhyNotCopy(copy), std::nullopt);
  EXPECT_NE(WhyNotCopy(Names({"vhlo", "func_v1", "return_v1", "jit_other"})), std::nullopt);
  // A function of the user's that is named copy, too.
  EXPECT_THAT(*WhyNotCopy(copy + Names({"add_v1"})), HasSubstr("add_v1"));
  EXPECT_NE(WhyNotCopy(copy + Names({"call_v2"})), std::nullopt);
  EXPECT_NE(WhyNotCopy(copy + Names({"result[0]"})), std::nullopt);
  EXPECT_NE(WhyNotCopy(copy + Names({"chlo"})), std::nullopt);
  EXPECT_NE(WhyNotCopy(""), std::nullopt);
}

TEST(ProgramTest, MemoryKindByName) {
  const std::vector<std::string> kinds = {"device", "pinned_host", "unpinned_host"};
  EXPECT_EQ(NamedMemoryKind(Names({"jit_copy", "unpinned_host"}), kinds), "unpinned_host");
  EXPECT_EQ(NamedMemoryKind(Names({"jit_copy", "pinned_host"}), kinds), "pinned_host");
  EXPECT_EQ(NamedMemoryKind(Names({"jit_copy"}), kinds), "");
}

TEST(ProgramTest, AssignedDevices) {
  // Field 3 { field 9 { replicas 1, partitions 2, computations { ids [0] }, { ids [1], not packed }
  // } }
  const std::string options("\x1a\x0f\x4a\x0d\x08\x01\x10\x02\x1a\x03\x0a\x01\x00\x1a\x02\x08\x01",
                            17);
  EXPECT_THAT(AssignedDevices(options), ElementsAre(0, 1));
  EXPECT_THAT(AssignedDevices(""), IsEmpty());
  for (size_t size = 0; size < options.size(); ++size) AssignedDevices(options.substr(0, size));
}

TEST(OptionsTest, GivenOnesWinOverTheEnvironment) {
  const NamedValue given[] = {Text("dlpc_emu_platform", "rocm"), Text("dlpc_emu_stream", "-7")};
  const auto read = ReadOptions(given, [](const char* name) -> const char* {
    if (std::string(name) == "DLPC_EMU_PLATFORM") return "cuda";
    return std::string(name) == "DLPC_EMU_PLATFORM_VERSION" ? "cuda 12090" : nullptr;
  });
  const auto* options = std::get_if<Options>(&read);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->platform, "rocm");
  EXPECT_EQ(options->platform_version, "cuda 12090");
  EXPECT_EQ(options->stream, -7);
}

TEST(OptionsTest, WrongOnesAreNamed) {
  const auto none = [](const char*) -> const char* { return nullptr; };
  for (const auto& [name, value] : {std::pair{"dlpc_emu_platfrom", "tpu"},
                                    {"dlpc_emu_hardware_ids", "1,x"},
                                    {"dlpc_emu_hardware_ids", "-2"},
                                    {"dlpc_emu_memories", "device,"},
                                    {"dlpc_emu_platform", ""}}) {
    const NamedValue given[] = {Text(name, value)};
    const auto read = ReadOptions(given, none);
    ASSERT_TRUE(std::holds_alternative<std::string>(read)) << name << "=" << value;
    EXPECT_THAT(std::get<std::string>(read), HasSubstr(name));
  }
}

}  // namespace
}  // namespace dlpc::emulation
