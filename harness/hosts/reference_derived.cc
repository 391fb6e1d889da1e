// The part of ReferenceBackend that makes arrays of others.
#include <string>
#include <utility>

#include "harness/hosts/reference_backend.h"

namespace dlpc {

Observation ReferenceBackend::Derive(int a, int from, Derived how) {
  RefArrayPtr source = arrays_[from];
  RefArrayPtr derived = source;  // A wrapper forwards to the array itself.
  if (how == Derived::kSubclass) derived = producer_.MakeSubclass(source);
  if (how == Derived::kRemedied) return Remedy(a, source);
  Made made;
  if (how == Derived::kImported) {
    derived = producer_.Import(source);
    if (derived == nullptr) return Unsupported{"the export cannot be imported"};
    made.description = producer_.ImportText(source);
    if (producer_.ViewOf(derived).elements != 0) made.pointer = producer_.Pointer(derived);
  }
  if (derived == source) producer_.Hold(source);
  producer_.Drop(arrays_[a]);
  arrays_[a] = std::move(derived);
  return made;
}

Observation ReferenceBackend::Remedy(int a, const RefArrayPtr& source) {
  RefArrayPtr resolved = producer_.WriteOut(source);
  if (resolved == nullptr) return Unsupported{"there is no way around the refusal"};
  std::string values = producer_.Read(source);
  Observation observation = Keep(a, std::move(resolved), false);
  Made* const made = std::get_if<Made>(&observation);
  made->description = "a copy with the values written out";
  made->values = std::move(values);
  return observation;
}

}  // namespace dlpc
