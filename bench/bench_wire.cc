// What the runner and its hosts pay to talk: coding of scripts and traces.
#include <benchmark/benchmark.h>

#include <span>
#include <string>

#include "harness/script.h"
#include "harness/trace.h"

namespace dlpc {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Script TypicalScript() {
  ArraySpec spec;
  spec.layout = Contiguous({4, 3});
  return ScriptBuilder(spec).Export(WithVersion(1, 3)).Inspect().Read().DropCapsule().Build();
}

/// A trace of the same size as a real one of TypicalScript.
Trace TypicalTrace() {
  Trace trace;
  Made made;
  made.pointer = 0x1000;
  made.shape = {4, 3};
  Exported exported;
  exported.is_capsule = true;
  exported.type_name = "PyCapsule";
  exported.name = "dltensor_versioned";
  Inspected inspected;
  inspected.versioned = true;
  inspected.shape = {4, 3};
  inspected.strides = {3, 1};
  Elements elements;
  elements.bytes.assign(48, 'x');
  trace.steps = {made, exported, inspected, elements, Dropped{}};
  trace.duration_us = 3;
  return trace;
}

/// Question: what does it cost to send one script? Unit: ns. Shape: constant.
void BM_EncodeScript(benchmark::State& state) {
  const Script script = TypicalScript();
  const std::string wire = EncodeScript(script);
  if (EncodeScript(DecodeScript(Bytes(wire))) != wire) state.SkipWithError("coding is not stable");
  for (auto _ : state) benchmark::DoNotOptimize(EncodeScript(script));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(wire.size()));
}
BENCHMARK(BM_EncodeScript);

/// Question: what does it cost a host to read one script? Unit: ns. Shape: constant.
void BM_DecodeScript(benchmark::State& state) {
  const std::string wire = EncodeScript(TypicalScript());
  for (auto _ : state) benchmark::DoNotOptimize(DecodeScript(Bytes(wire)));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(wire.size()));
}
BENCHMARK(BM_DecodeScript);

/// Question: what does it cost a host to answer with one trace? Unit: ns. Shape: constant.
void BM_EncodeTrace(benchmark::State& state) {
  const Trace trace = TypicalTrace();
  std::string wire;
  for (auto _ : state) {
    wire.clear();
    EncodeTrace(trace, wire);
    benchmark::DoNotOptimize(wire);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(wire.size()));
}
BENCHMARK(BM_EncodeTrace);

/// Question: what does it cost the runner to read one trace? Unit: ns. Shape: constant.
void BM_DecodeTrace(benchmark::State& state) {
  std::string wire;
  EncodeTrace(TypicalTrace(), wire);
  const auto decoded = DecodeTrace(Bytes(wire));
  if (!decoded || decoded->steps.size() != 5) state.SkipWithError("coding is not stable");
  for (auto _ : state) {
    auto trace = DecodeTrace(Bytes(wire));
    benchmark::DoNotOptimize(trace);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(wire.size()));
}
BENCHMARK(BM_DecodeTrace);

}  // namespace
}  // namespace dlpc
