// The reference producer: obeys every rule of the register, on every device type (emulated in host
// memory), through both structs; with one switch per fault. It models the Python protocol (capsules
// with name and destructor, exceptions by class, reference counts) in plain C++.
#ifndef DLPC_REFERENCE_PRODUCER_H_
#define DLPC_REFERENCE_PRODUCER_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/array_state.h"
#include "reference/device_map.h"
#include "reference/layout.h"
#include "reference/mutants.h"
#include "reference/place_map.h"
#include "reference/request.h"

namespace dlpc {

/// The interpreter state that capsule destructors can touch: the pending exception, and what they
/// report as unraisable.
struct RefInterpreter {
  std::string pending;  // Empty: none.
  std::string unraisable;
  bool ended = false;
};

/// A PyCapsule in miniature.
struct RefCapsule {
  const char* name = nullptr;
  void* managed = nullptr;
  void (*destructor)(RefCapsule*, RefInterpreter*) = nullptr;
  Mutant mutant = Mutant::kNone;
  std::shared_ptr<void> keep;  // Owned by mutants that allocate names.
  bool wrapped = false;        // Mutants: an object around a capsule.
  int64_t waits = 0;           // How often the request's stream was made to wait.
  int64_t waiting = -1;        // The stream that waits for the data; -1: none.
  bool ends_stream = false;    // Mutants: the request's stream is destroyed.
};

/// What `__dlpack_device__` returns: normally two integers.
struct RefDeviceTuple {
  bool refused = false;
  Refusal refusal;
  DLDevice device{kDLCPU, 0};
  bool type_is_text = false;  // Mutants.
  bool id_is_none = false;
  int items = 2;
};

class RefArray;  // Reference-counted array; see producer.cc.
using RefArrayPtr = std::shared_ptr<RefArray>;

using RefExport = std::variant<std::shared_ptr<RefCapsule>, Refusal>;

/// Where there are several threads, calls need the lock, as with any object of an interpreter.
class RefProducer {
 public:
  /// `profile` of the device map, with a fault in it: what the producer tells by DLPack.
  explicit RefProducer(Mutant mutant = Mutant::kNone, std::string_view profile = "generic",
                       MapFault fault = {});
  ~RefProducer();
  RefProducer(const RefProducer&) = delete;
  RefProducer& operator=(const RefProducer&) = delete;

  /// Makes any valid spec (see Normalize).
  RefArrayPtr Make(const ArraySpec& spec);
  /// A small array in a state that DLPack cannot say.
  RefArrayPtr MakeInState(ArrayState state);
  /// The same elements in an array of a subclass, which keeps the first alive.
  RefArrayPtr MakeSubclass(const RefArrayPtr& array);
  /// How the library's own consumer asks for an export; the stream of that, as a text.
  Request ImportRequest(const RefArrayPtr& array) const;
  std::string ImportText(const RefArrayPtr& array) const;
  /// What it makes of one; nullptr if it is refused.
  RefArrayPtr Import(const RefArrayPtr& array);
  /// A compact copy without flags and state, whose elements are the array's as it has them; nullptr
  /// if DLPack has no type for them, or there are none.
  RefArrayPtr WriteOut(const RefArrayPtr& array);
  RefDeviceTuple Device(const RefArrayPtr& array);
  RefExport Export(const RefArrayPtr& array, const Request& request);

  /// What `__dlpack_c_exchange_api__` is. `api` is nullptr where there is none at all.
  struct Table {
    const DLPackExchangeAPI* api = nullptr;
    const char* name = "dlpack_exchange_api";
    bool on_type = true;
  };
  Table TableOf(const RefArrayPtr& array);
  // The work behind the table's functions; the refusal if there is one.
  std::optional<Refusal> ExportStruct(const RefArrayPtr& array, DLManagedTensorVersioned** out);
  std::optional<Refusal> Lend(const RefArrayPtr& array, DLTensor* out);
  Mutant mutant() const;

  /// Which of the two methods exist on the type and on instances.
  struct Methods {
    bool type_dlpack = true, type_device = true, instance_dlpack = true, instance_device = true;
  };
  Methods MethodsOf() const;

  // The library's own view of an array, independent of DLPack.
  uint64_t Pointer(const RefArrayPtr& array) const;  // First element; 0 for zero-size arrays.
  bool ReadOnly(const RefArrayPtr& array) const;
  /// By reference/device_map, never mutated; nullopt where DLPack has no device for the place.
  std::optional<DLDevice> Label(const RefArrayPtr& array) const;
  const View& ViewOf(const RefArrayPtr& array) const;
  std::pair<uint64_t, uint64_t> Allocation(const RefArrayPtr& array) const;  // Address, bytes.
  std::string Read(const RefArrayPtr& array) const;                 // Elements in row-major order.
  bool Poke(const RefArrayPtr& array, const std::string& element);  // First element; false: empty.
  /// References that exports and callers hold, the caller's own included.
  int64_t RefCount(const RefArrayPtr& array) const;
  /// Drops the caller's reference. Mutants may overwrite memory here (which stays allocated until
  /// the producer dies, so that no read is out of bounds).
  void Drop(RefArrayPtr& array);
  /// One more reference of the caller's, to be dropped by itself.
  void Hold(const RefArrayPtr& array);

  // The interpreter lock, which deleters take.
  void Lock();
  void Unlock();
  /// What deleters can touch; capsule destructors are told theirs.
  RefInterpreter& Interpreter();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Drops a capsule: runs its destructor, as the interpreter would.
void DropRefCapsule(std::shared_ptr<RefCapsule>& capsule, RefInterpreter* interpreter);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_PRODUCER_H_
