// Internal to reference/: writes managed tensors, and the deleter and capsule destructor behind
// them.
#ifndef DLPC_REFERENCE_MANAGED_H_
#define DLPC_REFERENCE_MANAGED_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/plan.h"
#include "reference/producer.h"
#include "reference/storage.h"

namespace dlpc {

/// The array's elements in row-major order, one by one in whole bytes.
std::string GatherElements(const RefArray& array);

/// Makes the export that was planned and puts it in a capsule.
std::shared_ptr<RefCapsule> MakeCapsule(RefStorage* storage, const RefArrayPtr& array,
                                        const PlanFacts& facts, const Plan& plan);

/// The tensor of an export that shares the array's elements; its shape and strides are put in the
/// two vectors.
DLTensor Describe(RefStorage* storage, RefArray& array, const PlanFacts& facts, const Plan& plan,
                  Extents& shape, Extents& strides);

/// A tensor that the array lends for as long as nothing happens to it.
DLTensor LendTensor(RefStorage* storage, RefArray& array, const PlanFacts& facts, const Plan& plan);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_MANAGED_H_
