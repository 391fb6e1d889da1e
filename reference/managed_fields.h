// Internal to reference/: fields of managed tensors that do not depend on where the elements lie.
#ifndef DLPC_REFERENCE_MANAGED_FIELDS_H_
#define DLPC_REFERENCE_MANAGED_FIELDS_H_

#include <dlpack/dlpack.h>

#include <cstdint>

#include "reference/mutants.h"
#include "reference/plan.h"
#include "reference/storage.h"

namespace dlpc {

/// The array's own type, but in twins: DT-01 to DT-16.
DLDataType ExportedDType(Mutant m, DLDataType t);
DLPackVersion DeclaredVersion(Mutant m, DLDataType dtype);
uint64_t Flags(Mutant m, const RefArray& array, Plan::Data data, uint64_t serial);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_MANAGED_FIELDS_H_
