// A trace: what a host observed at each step of a script. Plain data; judges read it in the runner,
// so a producer that corrupts its own process cannot corrupt a verdict.
#ifndef DLPC_HARNESS_TRACE_H_
#define DLPC_HARNESS_TRACE_H_

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/expected.h"

namespace dlpc {

/// The step could not be tried, e.g. because the export it needs was refused.
struct NotPerformed {
  std::string reason;
};

/// The step ran and has nothing to tell.
struct Done {};

/// The producer (or its adapter) says that it cannot do this at all: no such dtype, no such layout.
struct Unsupported {
  std::string reason;
};

/// The adapter is at fault, e.g. its make() raised.
struct AdapterFault {
  std::string text;
};

/// The producer raised an exception.
struct Raised {
  std::string type;                // Qualified class name, builtins without module: "BufferError".
  std::vector<std::string> bases;  // Names along the method resolution order, `type` first.
  std::string message;
};

/// kMake, kMakeRefusal: an array exists; what the library itself says about it, where it can tell.
struct Made {
  bool given = false;       // The object was given by the user; the spec does not describe it.
  std::string description;  // For kMakeRefusal: the name of the object.
  std::optional<uint64_t> pointer;  // Address of the first element.
  std::optional<bool> read_only;    // Must not be written.
  std::optional<DLDevice> device;   // The library's own label, as a DLDevice.
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::pair<uint64_t, uint64_t>> allocation;  // Address and bytes of the buffer.
};

/// kProbe.
struct Probed {
  bool type_has_dlpack = false;
  bool type_has_device = false;
  bool instance_has_dlpack = false;
  bool instance_has_device = false;
};

/// What kind of thing an item of the device tuple is.
enum class Item : uint8_t { kMissing, kInt, kEnum, kIndexable, kNone, kOther, kCount_ };

/// kDevice: the answer of `__dlpack_device__()`.
struct DeviceAnswer {
  bool is_tuple = false;
  int64_t size = 0;
  Item type_kind = Item::kMissing;
  Item id_kind = Item::kMissing;
  int64_t type = 0;  // Valid when the kind is kInt, kEnum or kIndexable.
  int64_t id = 0;
  std::string repr;
  uint32_t calls = 1;
  uint32_t differing = 0;  // How many of the calls answered otherwise than the first.
};

/// kExport: what `__dlpack__` returned.
struct Exported {
  bool is_capsule = false;
  std::string type_name;  // Of the returned object.
  std::string name;       // Of the capsule.
  uint64_t name_pointer = 0;
  uint64_t managed = 0;  // Address of the managed tensor.
  bool has_destructor = false;
  bool emulated_capsule =
      false;  // Native code has no capsules: name and destructor are the host's.
  // How often the device was told that the given stream must wait for the data, during the call;
  // absent without a stream, and where nobody counts.
  std::optional<int64_t> waits;
};

/// kInspect: the managed tensor at the layout that the capsule's name promises. `raw` is the struct
/// as bytes (64 for DLManagedTensor, 80 for DLManagedTensorVersioned).
struct Inspected {
  bool versioned = false;
  std::array<uint8_t, 80> raw{};
  std::vector<int64_t> shape;  // Empty when NULL or unreadable.
  std::vector<int64_t> strides;
  bool shape_readable = false;  // ndim entries could be read (true for ndim 0 only if non-NULL).
  bool strides_readable = false;
  bool deleter_executable = false;  // The deleter lies in executable memory.
};

/// kRead, kReadOwn: element bytes in row-major order of the shape.
struct Elements {
  uint64_t first = 0;  // Address of the first element (0 for kReadOwn).
  uint64_t low = 0;    // Lowest address read, and one past the highest.
  uint64_t high = 0;
  bool readable = true;  // False: some element lies in memory that cannot be read.
  std::string bytes;
};

/// kDropCapsule, kCallDeleter.
struct Dropped {
  bool threw = false;           // A C++ exception came out of a deleter.
  bool left_exception = false;  // A Python exception is set that was not set before.
  bool lost_exception = false;  // The exception that was pending before is gone or another.
  std::string unraisable;       // Text that reached sys.unraisablehook.
};

/// kDeleterCalls, kRefCount.
struct Counted {
  int64_t value = 0;
  bool same_pointer = true;  // kDeleterCalls: each call got the capsule's own pointer.
};

/// kExportMany.
struct Many {
  uint32_t tried = 0;
  uint32_t capsules = 0;           // Calls that returned a capsule.
  uint32_t distinct_capsules = 0;  // All alive at once unless each is dropped.
  uint32_t distinct_managed = 0;
  uint32_t distinct_name_pointers = 0;
  std::vector<std::string> names;  // Distinct capsule names, sorted.
  std::optional<Raised> first_error;
  // Memory in use after the step minus before: bytes of the C heap, objects of the interpreter.
  // Absent where it cannot be told. Exact for what was dropped; a first call may fill caches.
  std::optional<int64_t> heap_growth;
  std::optional<int64_t> object_growth;
};

using Observation =
    std::variant<NotPerformed, Done, Unsupported, AdapterFault, Raised, Made, Probed, DeviceAnswer,
                 Exported, Inspected, Elements, Dropped, Counted, Many>;

/// One observation per step, in order.
struct Trace {
  std::vector<Observation> steps;
  uint32_t duration_us = 0;
};

/// Wire form: little-endian, length-prefixed, bounds-checked on decoding.
void EncodeTrace(const Trace& trace, std::string& out);
Expected<Trace> DecodeTrace(std::span<const uint8_t> bytes);

/// One observation as a short line, for reports: "BufferError: Cannot export readonly array".
std::string ObservationText(const Observation& observation);

// Typed access to the raw struct.
DLTensor TensorOf(const Inspected& inspected);
DLPackVersion VersionOf(const Inspected& inspected);  // {0, 0} for the legacy struct.
uint64_t FlagsOf(const Inspected& inspected);         // 0 for the legacy struct.
uint64_t ManagerContextOf(const Inspected& inspected);
uint64_t DeleterOf(const Inspected& inspected);

}  // namespace dlpc

#endif  // DLPC_HARNESS_TRACE_H_
