// What one export of the reference producer costs, against the floor that any producer pays.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <variant>

#include "reference/producer.h"

namespace dlpc {
namespace {

/// Question: what do the two allocations of any export (managed tensor; shape and strides) cost?
/// Unit: ns per pair. Shape: constant.
void BM_AllocationFloor(benchmark::State& state) {
  for (auto _ : state) {
    void* managed = std::malloc(sizeof(DLManagedTensorVersioned));
    void* shape = std::malloc(4 * sizeof(int64_t));
    benchmark::DoNotOptimize(managed);
    benchmark::DoNotOptimize(shape);
    std::free(shape);
    std::free(managed);
  }
}
BENCHMARK(BM_AllocationFloor);

ArraySpec SpecOf(int64_t elements) {
  ArraySpec spec;
  spec.layout = Contiguous({elements});
  return spec;
}

/// Question: what does making an array and dropping it cost? Unit: ns. Shape: grows with the
/// elements, since the pattern is written.
void BM_MakeDrop(benchmark::State& state) {
  RefProducer producer;
  const ArraySpec spec = SpecOf(state.range(0));
  for (auto _ : state) {
    RefArrayPtr array = producer.Make(spec);
    benchmark::DoNotOptimize(array);
    producer.Drop(array);
  }
}
BENCHMARK(BM_MakeDrop)->Arg(1)->Arg(64)->Arg(4096);

void ExportRelease(benchmark::State& state, const Request& request) {
  RefProducer producer;
  RefArrayPtr array = producer.Make(SpecOf(state.range(0)));
  RefInterpreter interpreter;
  const int64_t before = producer.RefCount(array);
  for (auto _ : state) {
    RefExport exported = producer.Export(array, request);
    auto* capsule = std::get_if<std::shared_ptr<RefCapsule>>(&exported);
    if (capsule == nullptr) {
      state.SkipWithError("the export was refused");
      break;
    }
    DropRefCapsule(*capsule, &interpreter);
  }
  if (producer.RefCount(array) != before) state.SkipWithError("exports were not released");
  state.SetItemsProcessed(state.iterations());
}

/// Question: what does one zero-copy export with its release cost, legacy struct? Unit: ns. Shape:
/// flat in the number of elements, or it is not zero-copy.
void BM_ExportRelease_Legacy(benchmark::State& state) { ExportRelease(state, {}); }
BENCHMARK(BM_ExportRelease_Legacy)->Arg(1)->Arg(4096);

/// The same through DLManagedTensorVersioned.
void BM_ExportRelease_Versioned(benchmark::State& state) {
  ExportRelease(state, WithVersion(1, 3));
}
BENCHMARK(BM_ExportRelease_Versioned)->Arg(1)->Arg(4096);

}  // namespace
}  // namespace dlpc
