// Mutations of scripts as scripts: steps are inserted, dropped, doubled and swapped, arrays and
// arguments changed, and what comes out is encoded again. Part of the time bytes are mutated, as
// the engine would do it.
#include <algorithm>
#include <utility>

#include "harness/script.h"
#include "reference/dtype.h"

// Of the engine; other engines have none.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace dlpc {
namespace {

// SplitMix64: some thirty numbers make a step, and divisions would take most of the time.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed) {}
  /// Below the limit; 0 if that is 0.
  size_t operator()(uint32_t limit) {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z >> 32) * limit >> 32;
  }

 private:
  uint64_t state_;
};

size_t Below(Random& random, size_t limit) { return random(static_cast<uint32_t>(limit)); }

template <typename E>
E AnyOf(Random& random) {
  return static_cast<E>(Below(random, static_cast<size_t>(E::kCount_)));
}

Request AnyRequest(Random& random) {
  Request r;
  for (Arg* arg : {&r.version, &r.copy, &r.device, &r.stream}) {
    if (Below(random, 2) == 0) *arg = AnyOf<Arg>(random);
    if (*arg == Arg::kOwn && arg != &r.device) *arg = Arg::kValue;
  }
  r.max_version = {static_cast<uint32_t>(Below(random, 3)),
                   static_cast<uint32_t>(Below(random, 5))};
  r.copy_value = Below(random, 2) == 0;
  r.dl_device = {static_cast<DLDeviceType>(Below(random, 20)),
                 static_cast<int32_t>(Below(random, 2))};
  r.stream_value = static_cast<int64_t>(Below(random, 6)) - 2;
  r.odd = AnyOf<Odd>(random);
  return r;
}

Step AnyStep(Random& random) {
  Step step;
  step.op = AnyOf<Op>(random);
  step.a = static_cast<uint8_t>(Below(random, 2));
  step.e = static_cast<uint8_t>(Below(random, 3));
  step.name = AnyOf<Name>(random);
  step.thread = AnyOf<Thread>(random);
  step.bad = AnyOf<BadInput>(random);
  step.pending = Below(random, 4) == 0;
  step.n = static_cast<uint32_t>(Below(random, 10));
  step.request = AnyRequest(random);
  return step;
}

ArraySpec AnySpec(Random& random) {
  ArraySpec spec;
  spec.dtype = DTypes()[Below(random, DTypes().size())].dtype;
  const auto& layouts = Layouts();
  spec.layout = layouts[Below(random, layouts.size())].layout;
  if (Below(random, 2) == 0) spec.memory = AnyOf<Memory>(random);
  if (Below(random, 8) == 0) spec.place = AnyOf<Place>(random);
  if (Below(random, 4) == 0) spec.flags = static_cast<uint8_t>(Below(random, 16));
  return spec;
}

void MutateSteps(Random& random, std::vector<Step>& steps) {
  const size_t i = Below(random, steps.size());
  switch (Below(random, 5)) {
    case 0:
      if (!steps.empty()) steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 1:
      if (!steps.empty()) std::swap(steps[i], steps[Below(random, steps.size())]);
      break;
    case 2:
      if (!steps.empty()) steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(i), steps[i]);
      break;
    case 3:
      if (!steps.empty()) steps[i].request = AnyRequest(random);
      break;
    default:
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(Below(random, steps.size() + 1)),
                   AnyStep(random));
  }
  if (steps.size() > kMaxSteps) steps.resize(kMaxSteps);
}

// In place, in at most `most` bytes. How many; 0 if the arrays alone do not fit.
size_t Mutate(Random& random, uint8_t* data, size_t size, size_t most) {
  static Script script;  // Its memory is used again.
  DecodeScript({data, size}, script);
  if (script.specs.empty() || Below(random, 6) == 0) {
    if (script.specs.size() < kMaxSpecs) script.specs.emplace_back();
    script.specs[Below(random, script.specs.size())] = AnySpec(random);
    if (script.steps.empty()) script.steps.emplace_back();  // Makes it.
  }
  for (size_t times = 1 + Below(random, 3); times > 0; --times) MutateSteps(random, script.steps);
  return EncodeScript(script, {data, most});
}

}  // namespace
}  // namespace dlpc

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  dlpc::Random random(seed);
  if (LLVMFuzzerMutate != nullptr && dlpc::Below(random, 4) == 0)
    return LLVMFuzzerMutate(data, size, most);
  const size_t mutated = dlpc::Mutate(random, data, size, most);
  if (mutated != 0) return mutated;  // Else the same input once more would show nothing.
  return LLVMFuzzerMutate != nullptr ? LLVMFuzzerMutate(data, size, most) : std::min(size, most);
}
