// Counting deleters: puts a function of ours in front of a managed tensor's deleter.
#ifndef DLPC_HARNESS_INTERPOSE_H_
#define DLPC_HARNESS_INTERPOSE_H_

#include <cstdint>
#include <memory>

#include "harness/backend.h"

namespace dlpc {

/// The deleter field of `ref`, read safely. `readable` is false where the struct is not.
struct DeleterField {
  bool readable = false;
  const void* deleter = nullptr;
};
DeleterField ReadDeleter(const ManagedRef& ref);

/// The struct's deleter is replaced while this lives. The first call is passed on to the original
/// and later ones are only counted, so that a producer that frees twice is observed and not fatal.
/// An exception of the original is caught and remembered. Calls may come from any thread.
class Interposition {
 public:
  /// Empty if the struct cannot be read or written, or its deleter is not a function.
  static std::unique_ptr<Interposition> Create(const ManagedRef& ref);
  /// Puts the original back if it was never called and the struct still names ours.
  ~Interposition();
  Interposition(const Interposition&) = delete;
  Interposition& operator=(const Interposition&) = delete;

  struct Calls {
    uint32_t own = 0;    // With this struct's pointer.
    uint32_t stray = 0;  // With a pointer that nobody interposed.
    bool threw = false;
  };
  Calls calls() const;
  const ManagedRef& ref() const { return ref_; }
  const void* original() const { return original_; }

 private:
  Interposition() = default;

  friend struct Interposer;
  ManagedRef ref_;
  const void* original_ = nullptr;
  Calls calls_;
};

/// One call of a managed tensor's deleter. A C++ exception that comes out of it is noted, not
/// passed on.
struct DeleterCall {
  ManagedRef ref;
  void* code;
  bool threw = false;

  void Run() {
    try {
      if (ref.versioned) {
        auto* managed = static_cast<DLManagedTensorVersioned*>(ref.managed);
        reinterpret_cast<void (*)(DLManagedTensorVersioned*)>(code)(managed);
      } else {
        auto* managed = static_cast<DLManagedTensor*>(ref.managed);
        reinterpret_cast<void (*)(DLManagedTensor*)>(code)(managed);
      }
    } catch (...) {
      threw = true;
    }
  }
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_INTERPOSE_H_
