// Internal to reference/: what a RefProducer holds.
#ifndef DLPC_REFERENCE_PRODUCER_IMPL_H_
#define DLPC_REFERENCE_PRODUCER_IMPL_H_

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/place_map.h"
#include "reference/plan.h"
#include "reference/producer.h"
#include "reference/storage.h"

namespace dlpc {

struct RefProducer::Impl {
  Impl(Mutant m, std::string_view profile, MapFault fault);
  PlanFacts Facts(const RefArray& array) const;
  /// What an export of `array` will be; the array is complete then.
  PlanOrRefusal PlanFor(RefArray& array, const PlanFacts& facts, const Request& request) const;
  /// What the array's plain exports say. nullptr if they are refused or not owned by the array, or
  /// if the producer is a twin. Thread-safe, and written once.
  const SharedForm* FormOf(RefArray& array);
  std::unique_ptr<SharedForm> DescribeShared(RefArray& array);

  const Mutant mutant;
  const PlaceMap truth;  // The library's own idea.
  PlaceMap claimed;      // What it tells by DLPack: the same, but in mutants.
  RefStorage storage;
  // Of mutants: tables and axes that should be static, or the array's.
  std::deque<DLPackExchangeAPI> tables;
  std::deque<Extents> leaked;
};

/// Tells the capsule which stream waits for the data.
void TellStreams(Mutant mutant, const Plan& plan, const Request& request, RefCapsule& capsule);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PRODUCER_IMPL_H_
