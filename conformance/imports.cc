// COPY-18: what the library's own consumer makes of its own arrays in host memory. Source: array
// API, from_dlpack, parameter copy: None reuses the memory if possible, and here it is.
#include <string>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "conformance/family_parts.h"
#include "conformance/places.h"

namespace dlpc {
namespace {

bool IsPinned(Memory memory) {
  return memory == Memory::kCudaPinned || memory == Memory::kRocmPinned ||
         memory == Memory::kOneApiPinned || memory == Memory::kTpuPinned;
}

Script ImportScript(const ArraySpec& spec) {
  return ScriptBuilder(spec).ReadOwn().Derive(Derived::kImported, 1).ReadOwn(1).Build();
}

Family MakeHostImports() {
  Family f = {{"import/cpu", ImportScript(PlainSpec()), kTagPlainCpu}};
  for (const EmulatedPlace& place : EmulatedPlaces()) {
    if (!IsPinned(place.memory) || place.place == Place::kNoHardwareId) continue;
    ArraySpec spec = PlainSpec(place.memory);
    spec.place = place.place;
    f.push_back({"import/" + std::string(place.name), ImportScript(spec), 0});
  }
  return f;
}

// COPY-18. Addresses are those that the library tells, not those in structs.
Verdict JudgeImportShares(const Evidence& e) {
  const Wording expected = "from_dlpack(x) gives an array on the memory of x";
  const Made* imported = e.As<Made>(Op::kDerive);
  if (imported == nullptr) return NotApplicable(expected, e.Text(Op::kDerive));
  const auto own = e.OwnPointer();
  if (!own || !imported->pointer) {
    return NotApplicable(expected, "the library does not tell where its arrays are");
  }
  const auto* before = e.As<Elements>(Op::kReadOwn, 0);
  const auto* after = e.As<Elements>(Op::kReadOwn, 1);
  if (before != nullptr && after != nullptr && before->bytes != after->bytes) {
    return Fail(expected, FirstDifference(after->bytes, before->bytes, e.ItemBytes()));
  }
  return PassIf(*own == *imported->pointer, expected,
                *own == *imported->pointer
                    ? "the same address"
                    : Say("a copy: x is at {:#x}, the import at {:#x}", *own, *imported->pointer));
}

constexpr Check kImportsChecks[] = {{"COPY-18", HostImports, 0, 0, JudgeImportShares}};

}  // namespace

const Family& HostImports() {
  static const Family family = MakeHostImports();
  return family;
}

std::span<const Check> ImportChecks() { return kImportsChecks; }

}  // namespace dlpc
