// Arrays that later scripts use again, where making them would take longer than all that is done to
// them: for fuzzing.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_KEPT_H_
#define DLPC_HARNESS_HOSTS_PYTHON_KEPT_H_

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "harness/hosts/python/py.h"
#include "harness/script.h"
#include "harness/trace.h"

namespace dlpc {

/// Which scripts get arrays of earlier ones.
enum class Reuse : uint8_t {
  kNever,
  kUnchanged,  // This script leaves arrays as they are.
  kRestored,   // It may write to them: only those that can be restored afterwards.
};

/// What making an array gave, and what was learnt of it since.
class Kept {
 public:
  /// `answer` is Made, or why there is no array; `name`: of the object in refusals(), or empty.
  Kept(PyObject* array, const Observation& answer, std::string name);

  PyObject* array() const { return array_.get(); }
  const Observation& answer() const { return answer_; }
  const std::string& name() const { return name_; }
  /// Objects made of this one, for kDerive.
  std::unique_ptr<Kept>& derived(Derived how) { return derived_[static_cast<size_t>(how)]; }

  /// Whether the bytes that the array lies in are known, so that a change can be seen.
  bool CanRestore() const { return memory_ != nullptr; }
  bool Changed() const;
  void Restore();

  /// What the adapter reads of it while it is unchanged.
  std::optional<Observation> elements;

 private:
  Ref array_;
  Observation answer_;
  std::string name_;
  char* memory_ = nullptr;
  std::string contents_;  // Of that memory at first.
  std::array<std::unique_ptr<Kept>, static_cast<size_t>(Derived::kCount_)> derived_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_KEPT_H_
