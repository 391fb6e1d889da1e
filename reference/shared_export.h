// Internal to reference/: the export that consumers ask for most, without arguments but the
// version. What it says never changes in an array's life, so it is worked out once; each export is
// then one block of memory and one count. Twins, and whatever needs a decision or a copy, go the
// long way (plan.h, managed.h), which says the same.
#ifndef DLPC_REFERENCE_SHARED_EXPORT_H_
#define DLPC_REFERENCE_SHARED_EXPORT_H_

#include <dlpack/dlpack.h>

#include <memory>

#include "reference/producer.h"
#include "reference/storage.h"

namespace dlpc {

/// Whether the request asks for the versioned struct, and nothing else.
bool IsPlain(const Request& request);

/// The array stays until the deleter is called.
DLManagedTensorVersioned* ExportShared(RefArray& array, const SharedForm& form);
std::shared_ptr<RefCapsule> ShareInCapsule(RefArray& array, const SharedForm& form);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_SHARED_EXPORT_H_
