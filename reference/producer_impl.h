// Internal to reference/: what a RefProducer holds.
#ifndef DLPC_REFERENCE_PRODUCER_IMPL_H_
#define DLPC_REFERENCE_PRODUCER_IMPL_H_

#include <deque>
#include <memory>
#include <vector>

#include "reference/plan.h"
#include "reference/producer.h"
#include "reference/storage.h"

namespace dlpc {

inline constexpr size_t kMemories = static_cast<size_t>(Memory::kCount_);
inline constexpr size_t kPlaces = static_cast<size_t>(Place::kCount_);

struct RefProducer::Impl {
  explicit Impl(Mutant m);
  const DeviceAnswerOrRefusal& AnswerFor(const ArraySpec& spec) const;
  PlanFacts Facts(const RefArray& array) const;
  /// What an export of `array` will be; the array is complete then.
  PlanOrRefusal PlanFor(RefArray& array, const PlanFacts& facts, const Request& request) const;

  const Mutant mutant;
  std::vector<DeviceAnswerOrRefusal> answers;  // By memory, then by place.
  RefStorage storage;
  // Of mutants: tables and axes that should be static, or the array's.
  std::deque<DLPackExchangeAPI> tables;
  std::deque<std::vector<int64_t>> leaked;
};

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PRODUCER_IMPL_H_
