// The exports of a running script: who owns each managed tensor at the moment, and what may still
// be done with it.
#ifndef DLPC_HARNESS_EXPORT_SLOTS_H_
#define DLPC_HARNESS_EXPORT_SLOTS_H_

#include <memory>
#include <optional>
#include <vector>

#include "harness/backend.h"
#include "harness/interpose.h"

namespace dlpc {

class ExportSlots {
 public:
  explicit ExportSlots(Backend* backend) : backend_(backend) {}

  /// Exports s.a to s.e; `read_only` is what the library says of the array.
  Observation Export(const Step& s, std::optional<bool> read_only);
  /// Empties s.e for an export that gives a struct without a capsule, then fills it. `managed` is
  /// nullptr if the export was refused.
  void Vacate(int e);
  void Hold(int e, void* managed, std::optional<bool> read_only);
  /// Streams of the array's device; later exports may be for one that is made here.
  Observation UseStream(const Step& s);
  /// Every other operation on an export slot.
  Observation Perform(const Step& s);

  /// Gives back whatever each slot still holds: exactly once, whoever owns it.
  void ReleaseAll();
  /// The structs of consumed exports whose capsules are gone; they are no longer ours to release.
  std::vector<ManagedRef> Keep();
  /// Forgets everything. Call after the backend's Reset.
  void Clear();

 private:
  struct Slot {
    ManagedRef ref;
    const char* no_capsule = "nothing was exported";  // Why there is none; nullptr if there is.
    const char* no_struct = "nothing was exported";
    bool consumed = false;          // Renamed: the struct is no longer the capsule's but ours.
    std::optional<bool> read_only;  // Of the array it was exported from.
    std::shared_ptr<Interposition> counter;
    bool interposed = false;  // The counter is there because the script asked for it.
  };

  Observation OnStruct(const Step& s, Slot& slot);
  Observation Inspect(const Slot& slot);
  Observation Write(const Slot& slot, uint32_t n);
  Observation Interpose(Slot& slot);
  Observation Rename(Slot& slot, int e, Name name);
  Observation DropCapsule(Slot& slot, int e, bool pending);
  Observation CallDeleter(Slot& slot, int e, const Step& s);
  Observation DeleterCalls(const Slot& slot);
  Dropped RunDeleter(Slot& slot, const Step& s, const void* deleter);
  void Release(int e);

  template <typename F>
  void ForAliases(const void* managed, F f);
  void MarkGone(const void* managed);
  void NoticeDeleters();

  Backend* backend_;
  Slot slots_[kExportSlots];
  std::optional<int64_t> consumers_stream_;  // Its handle.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_EXPORT_SLOTS_H_
