// Places where arrays may live that this machine does not have, and the scripts for them. Python
// producers reach them through an emulated accelerator (docs/emulation.md), the reference producer
// emulates them itself.
#ifndef DLPC_CONFORMANCE_PLACES_H_
#define DLPC_CONFORMANCE_PLACES_H_

#include <span>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/layout.h"

namespace dlpc {

/// One profile of harness/emulation/jax_emulation.py: what its arrays are in the words of a spec.
struct EmulatedPlace {
  std::string_view name;  // "tpu-pinned"
  Memory memory;
  Place place = Place::kOrdinary;
  uint8_t flags = 0;
};
std::span<const EmulatedPlace> EmulatedPlaces();

const EmulatedPlace* FindEmulatedPlace(std::string_view name);

/// Whether all arrays that the script makes (at least one) live there.
bool LivesAt(const Script& script, const EmulatedPlace& place);

/// Whether all its arrays (at least one) are in CUDA's device, pinned or managed memory.
bool LivesOnCuda(const Script& script);

/// Keeps the cases whose arrays live there; else those without any array outside main memory.
void KeepCasesOn(bool cuda, std::vector<const Case*>& cases);

/// Steps of Zoo() for the plain array at each place that MemoryKinds() does not have.
const Family& Places();
/// 100 device queries, at the same places.
const Family& PlaceQueries();
/// Steps of DeviceRequests(): the own device, the CPU, the sibling memory type, a foreign type.
const Family& PlaceRequests();
/// copy= at every place: device, export 0 with copy, inspect, read, read-own, export 1 plain.
const Family& PlaceCopies();
// The life cycles of families.h at every place; shorter loops.
const Family& PlaceDropUnconsumed();
const Family& PlaceDropThenRelease();
const Family& PlaceReleaseThenDrop();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_PLACES_H_
