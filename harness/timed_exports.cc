#include "harness/timed_exports.h"

#include <algorithm>
#include <vector>

#include "harness/interpose.h"

namespace dlpc {

bool ReleaseExport(const ManagedRef& ref) {
  void* const deleter =
      ref.versioned
          ? reinterpret_cast<void*>(static_cast<DLManagedTensorVersioned*>(ref.managed)->deleter)
          : reinterpret_cast<void*>(static_cast<DLManagedTensor*>(ref.managed)->deleter);
  if (deleter == nullptr) return true;  // Nothing to release.
  DeleterCall call{ref, deleter};
  call.Run();
  return !call.threw;
}

Timing TimeTable(const DLPackExchangeAPI& api, void* object, const Measurement& m) {
  if (m.what == Timed::kTableBorrowed) {
    if (api.dltensor_from_py_object_no_sync == nullptr) return {"it lends no tensors", 0, {}};
    return TimeLoop(m.calls, [&] {
      DLTensor borrowed;
      return api.dltensor_from_py_object_no_sync(object, &borrowed) == 0;
    });
  }
  return TimeLoop(m.calls, [&] {
    DLManagedTensorVersioned* managed = nullptr;
    return api.managed_tensor_from_py_object_no_sync(object, &managed) == 0 && managed != nullptr &&
           ReleaseExport({managed, true});
  });
}

Timing TimeExportsOnThreads(const Measurement& m, const std::function<bool()>& release,
                            const std::function<bool(ManagedRef*)>& consume,
                            const std::function<void(const std::function<void()>&)>& release_lock) {
  const uint32_t share = m.calls / m.threads;
  std::vector<std::vector<ManagedRef>> held(m.threads);
  std::vector<std::function<bool()>> work;
  for (auto& mine : held) {
    if (m.what == Timed::kThreads) {
      work.emplace_back([&release, share] {
        bool ok = true;
        for (uint32_t i = 0; i < share && ok; ++i) ok = release();
        return ok;
      });
      continue;
    }
    for (uint32_t i = 0; i < share; ++i) {
      if (!consume(&mine.emplace_back())) return {"a call failed", 0, {}};
    }
    work.emplace_back([&mine] { return std::all_of(mine.begin(), mine.end(), ReleaseExport); });
  }
  return TimeThreads(work, release_lock);
}

}  // namespace dlpc
