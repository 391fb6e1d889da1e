#include <initializer_list>

#include "fuzz/gen_seeds.h"
#include "harness/report.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "harness/wire.h"
#include "reference/device_map.h"

namespace dlpc {
namespace {

std::string Raw(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

// Profile, platform, version, memory kind (as places in the target's list of words), id, shards,
// devices, text of the device: see property_device_map.cc.
void AddDeviceMap(std::vector<Seed>& seeds) {
  const struct {
    const char* name;
    std::initializer_list<int> bytes;
  } kSeeds[] = {{"jax_cpu", {1, 0, 37, 31, 2, 0, 0, 0}},
                {"jax_cuda_pinned", {1, 2, 26, 32, 2, 0, 0, 0}},
                {"jax_tpu_pinned", {1, 7, 37, 32, 2, 0, 0, 0}},
                {"jax_unknown_gpu", {1, 5, 36, 31, 2, 0, 0, 0}},
                {"jax_no_id", {1, 2, 26, 31, 200, 0, 0, 0}},
                {"jax_sharded", {1, 2, 26, 31, 2, 252, 2, 0}},
                {"jaxlib_two_devices", {4, 2, 26, 31, 2, 0, 252, 0}},
                {"torch_xla_on_cuda", {7, 12, 35, 31, 2, 0, 0, 0}},
                {"generic_named_device", {0, 38, 37, 31, 2, 0, 0, 3, 30}},
                {"cupy_managed", {10, 2, 26, 34, 3, 0, 0, 0}}};
  for (const auto& seed : kSeeds) seeds.push_back({"device_map", seed.name, Raw(seed.bytes)});
}

// An extent or stride e is the byte e + 4.
void AddStrides(std::vector<Seed>& seeds) {
  const struct {
    const char* name;
    std::initializer_list<int> bytes;
  } kSeeds[] = {{"contiguous", {9, 2, 6, 4, 6, 5, 7, 4, 7, 5, 0}},
                {"sliced", {3, 1, 14, 5, 7, 6, 0}},
                {"reversed", {3, 1, 8, 7, 8, 3, 0}},
                {"broadcast", {3, 2, 5, 4, 7, 4, 7, 4, 7, 5, 0}},
                {"transposed", {3, 2, 6, 4, 6, 5, 7, 4, 7, 5, 2, 1, 0}},
                {"empty", {3, 1, 4, 4, 4, 5, 0}},
                {"named", {3, 250, 4}},
                {"scalar", {3, 0, 0}}};
  for (const auto& seed : kSeeds) seeds.push_back({"strides", seed.name, Raw(seed.bytes)});
}

// Array, facts of the oracle alone, then version, copy, device, stream: see property_negotiate.cc.
void AddNegotiate(std::vector<Seed>& seeds) {
  const struct {
    const char* name;
    std::initializer_list<int> bytes;
  } kSeeds[] = {{"plain", {0, 2, 1, 0, 1, 1, 1, 1}},
                {"versioned_copy", {0, 2, 1, 0, 0, 1, 3, 0, 1, 1, 1}},
                {"read_only_legacy", {1, 2, 1, 1, 1, 1, 1, 1}},
                {"cuda_to_cpu", {2, 3, 1, 2, 0, 1, 3, 1, 0, 2, 1, 1}},
                {"cuda_stream_zero", {2, 3, 1, 2, 0, 1, 3, 1, 1, 0, 3}},
                {"unknown_device", {0, 2, 1, 0, 0, 1, 3, 1, 0, 20, 1, 1}},
                {"odd_version", {0, 2, 1, 0, 4, 1, 1, 1, 2}},
                {"positional", {0, 2, 1, 0, 1, 1, 1, 1, 0, 241}}};
  for (const auto& seed : kSeeds) seeds.push_back({"negotiate", seed.name, Raw(seed.bytes)});
}

Trace SomeTrace() {
  Made made;
  made.pointer = 4096;
  made.shape = {2, 3};
  Inspected inspected;
  inspected.shape = {2, 3};
  inspected.strides = {3, 1};
  Many many;
  many.names = {"dltensor"};
  many.heap_growth = 16;
  Trace trace;
  trace.steps = {made,
                 Probed{},
                 DeviceAnswer{},
                 Exported{},
                 inspected,
                 Elements{},
                 Dropped{},
                 Counted{},
                 many,
                 TableSeen{},
                 TableCall{},
                 Ended{1, "exit"},
                 Done{},
                 NotPerformed{"no array"},
                 Raised{"BufferError", {"BufferError"}, "no"}};
  return trace;
}

void AddWire(std::vector<Seed>& seeds) {
  std::string trace, frames, claims;
  EncodeTrace(SomeTrace(), trace);
  AppendFrame(Frame::kHello, std::string(4, '\2'), frames);
  AppendFrame(Frame::kTrace, trace, frames);
  AppendClaims({"numpy", "2.5.0", "python", "CPython 3.12.1", "numpy", "{}"}, claims);
  seeds.push_back({"wire", "trace", Raw({0}) + trace});
  seeds.push_back({"wire", "frames", Raw({1}) + frames});
  seeds.push_back({"wire", "claims", Raw({2}) + claims.substr(12)});
  seeds.push_back({"wire", "script",
                   Raw({3}) + EncodeScript(ScriptBuilder(ArraySpec{}).Export().Inspect().Build())});
  seeds.push_back({"wire", "text", Raw({4, 'a', 0xC3, 0xA4, 0xC3, 0x0D, 0x07, 0xF0})});
}

void AddTexts(std::vector<Seed>& seeds) {
  seeds.push_back({"expectations", "all_fields",
                   "# Known failures\n"
                   "SHAPE-06 fail producer=jax version>=0.10 message=\"element 3\" owner=me\n"
                   "ERR-07/* crash version<0.11 version!=0.9rc1 bug=https://example.org/1\n"
                   "VER-03/max-version/1.0 timeout platform=Linux expires=2027-01-01\n"});
  seeds.push_back({"expectations", "expired", "MEM-* error expires=2020-02-29\n"});
  seeds.push_back({"expectations", "versions", "0.10.2rc10.10.2"});
  RunResult result;
  result.suite_version = "0.1.0";
  result.producer = {"numpy", "2.5.0", "python", "CPython 3.12.1", "numpy", "{}"};
  result.environment["os"] = "Linux";
  CaseResult c;
  c.id = "SHAPE-06/zoo/float32/legacy";
  c.requirement = "SHAPE-06";
  c.status = CaseStatus::kFail;
  c.observed = "element 3";
  result.cases = {c};
  Summarize(result);
  seeds.push_back({"results", "one_failure", ResultsJson(result)});
  const Script script = ScriptBuilder(ArraySpec{}).Export().Build();
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace = SomeTrace();
  seeds.push_back({"results", "trace", TracesJsonl({{"zoo/plain", &script, &outcome}})});
  outcome.kind = Outcome::Kind::kCrash;
  outcome.text = "SIGSEGV in step 1 (export)";
  seeds.push_back({"results", "crash", TracesJsonl({{"zoo/plain", &script, &outcome}})});
}

void AddPluginReplies(std::vector<Seed>& seeds) {
  seeds.push_back({"plugin_reply", "plain", std::string(200, '\0')});
  seeds.push_back({"plugin_reply", "claims", Raw({34}) + std::string(120, '\1')});
  std::string bytes;
  for (int i = 0; i < 250; ++i) bytes += static_cast<char>(i * 37);
  seeds.push_back({"plugin_reply", "mixed", bytes});
}

}  // namespace

std::vector<Seed> OtherSeeds() {
  std::vector<Seed> seeds;
  AddDeviceMap(seeds);
  AddStrides(seeds);
  AddNegotiate(seeds);
  AddWire(seeds);
  AddTexts(seeds);
  AddPluginReplies(seeds);
  return seeds;
}

}  // namespace dlpc
