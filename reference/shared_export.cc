#include "reference/shared_export.h"

#include <atomic>
#include <string_view>
#include <utility>
#include <variant>

#include "reference/managed.h"
#include "reference/managed_fields.h"
#include "reference/producer_impl.h"
#include "reference/release.h"

namespace dlpc {
namespace {

struct SharedExport {
  DLManagedTensorVersioned managed;
  RefArray* array;
};

void DeleteShared(DLManagedTensorVersioned* self) {
  auto* const shared = static_cast<SharedExport*>(self->manager_ctx);
  RefArray* const array = shared->array;
  if (array->storage->state.ended)
    return;  // PS 139-149: leaking is fine now, touching an object is not.
  delete shared;
  DropUser(array);
}

void DestroyShared(RefCapsule* capsule, RefInterpreter* interpreter) {
  const std::string_view name = capsule->name;
  if (IsUsedName(name)) return;
  if (name != CapsuleName(Mutant::kNone, true)) return ReportUnknownName(name, interpreter);
  auto* const managed = static_cast<DLManagedTensorVersioned*>(capsule->managed);
  // The one that it holds by now: a consumer may have replaced it.
  (managed->deleter == nullptr ? &DeleteShared : managed->deleter)(managed);
}

}  // namespace

bool IsPlain(const Request& r) {
  return r.version == Arg::kValue && r.max_version.major >= DLPACK_MAJOR_VERSION &&
         r.copy == Arg::kAbsent && r.device == Arg::kAbsent && r.stream == Arg::kAbsent &&
         r.extra == Extra::kNone;
}

const SharedForm* RefProducer::Impl::FormOf(RefArray& array) {
  // An imported array belongs to no storage, whose lock its deleters would need.
  if (mutant != Mutant::kNone || array.storage == nullptr) return nullptr;
  const SharedForm* form = array.form.load(std::memory_order_acquire);
  if (form == nullptr) {
    auto made = DescribeShared(array);
    if (array.form.compare_exchange_strong(form, made.get(), std::memory_order_acq_rel)) {
      form = made.release();  // Else another thread was faster.
    }
  }
  return form->usable ? form : nullptr;
}

std::unique_ptr<SharedForm> RefProducer::Impl::DescribeShared(RefArray& array) {
  auto form = std::make_unique<SharedForm>();
  const PlanFacts facts = Facts(array);
  PlanOrRefusal planned = PlanFor(array, facts, WithVersion(1, 3));
  const Plan* const plan = std::get_if<Plan>(&planned);
  if (plan == nullptr || (array.spec.flags & kStaticStorage) != 0) return form;
  DLManagedTensorVersioned& managed = form->managed;
  managed.version = DeclaredVersion(mutant, array.spec.dtype);
  managed.deleter = &DeleteShared;
  managed.flags = Flags(mutant, array, plan->data, 0);
  managed.dl_tensor = Describe(&storage, array, facts, *plan, form->shape, form->strides);
  form->usable = true;
  return form;
}

DLManagedTensorVersioned* ExportShared(RefArray& array, const SharedForm& form) {
  auto* const shared = new SharedExport{form.managed, &array};
  shared->managed.manager_ctx = shared;
  ++array.users;
  return &shared->managed;
}

std::shared_ptr<RefCapsule> ShareInCapsule(RefArray& array, const SharedForm& form) {
  auto capsule = std::make_shared<RefCapsule>();
  capsule->managed = ExportShared(array, form);
  capsule->name = CapsuleName(Mutant::kNone, true);
  capsule->destructor = &DestroyShared;
  return capsule;
}

}  // namespace dlpc
