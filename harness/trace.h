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

#include "harness/boxed.h"
#include "reference/expected.h"
#include "reference/inline_vector.h"

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

/// kMake, kMakeRefusal, kDerive: an array exists; what the library itself says about it, where it
/// can tell.
struct Made {
  bool given = false;  // The object was given by the user; the spec does not describe it.
  std::string
      description;  // kMakeRefusal: the name of the object. kDerive: what was asked or done.
  std::optional<uint64_t> pointer;  // Address of the first element.
  std::optional<bool> read_only;    // Must not be written.
  std::optional<DLDevice> device;   // The library's own label, as a DLDevice.
  std::optional<Extents> shape;
  std::optional<std::pair<uint64_t, uint64_t>> allocation;  // Address and bytes of the buffer.
  std::string values;  // kDerive, remedies: the element bytes that are right; empty: not known.
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
  Extents shape;  // Empty when NULL or unreadable.
  Extents strides;
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
  bool without_lock = false;    // Thread::kContended: it ended while another thread held the lock.
};

/// kDeleterCalls, kRefCount.
struct Counted {
  int64_t value = 0;
  bool same_pointer = true;  // kDeleterCalls: each call got the capsule's own pointer.
};

/// kExportMany, kConsumeMany, kReleaseTogether.
struct Many {
  uint32_t tried = 0;
  uint32_t capsules = 0;           // Calls that returned a capsule.
  uint32_t distinct_capsules = 0;  // All alive at once unless each is dropped.
  uint32_t distinct_managed = 0;
  uint32_t distinct_name_pointers = 0;
  uint32_t differing = 0;  // kReleaseTogether: how many describe something else than the first.
  std::vector<std::string> names;  // Distinct capsule names, sorted.
  std::optional<Raised> first_error;
  // Memory in use after the step minus before: bytes of the C heap, objects of the interpreter.
  // Absent where it cannot be told. Exact for what was dropped; a first call may fill caches.
  std::optional<int64_t> heap_growth;
  std::optional<int64_t> object_growth;
};

/// Where machine code lies.
enum class CodeIn : uint8_t { kNull, kFile, kAnonymous, kNoCode, kCount_ };

/// What `__dlpack_c_exchange_api__` is, as far as one can look.
enum class TableForm : uint8_t {
  kMissing,
  kNoCapsule,
  kOtherName,
  kTable,    // A capsule named "dlpack_exchange_api".
  kUnknown,  // Could not be tried.
  kCount_,
};

/// kTable: the C exchange table as its consumers find it.
struct TableSeen {
  TableForm on_type = TableForm::kMissing;
  TableForm on_instance = TableForm::kMissing;
  TableForm on_subclass = TableForm::kUnknown;
  bool old_name = false;  // The type has what DLPack 1.2 had: an int under another name.
  std::string found;      // What the attribute of the type is.
  uint64_t address = 0;   // Of the table on the type; what follows was read there.
  bool readable = false;
  uint32_t major = 0, minor = 0;
  std::vector<int64_t> chain;  // Majors along prev_api; -1: a header that cannot be read.
  bool chain_ends = true;
  // Allocator, from object, to object, borrow, current stream: the order of the struct.
  std::array<CodeIn, 5> functions{};
};

/// One call of a function of the exchange table.
struct TableCall {
  int32_t code = 0;
  bool threw = false;        // A C++ exception came out.
  Boxed<Raised> raised;      // The Python exception that was set afterwards.
  bool out_written = false;  // The out-parameter no longer holds what was put there before.
  uint64_t out = 0;
  uint32_t set_errors = 0;             // Calls of SetError.
  std::string error;                   // Its kind and message.
  Boxed<Inspected> tensor;             // kTableBorrow: the caller's DLTensor, in a legacy struct.
  std::optional<bool> writable;        // kTableAllocate: all elements could be written and read.
  Boxed<Made> made;                    // kTableImport: what the library says of the new object.
  bool same_type = false;              // kTableImport: it has the type that the table is from.
  std::optional<int64_t> heap_growth;  // kTableBorrow: bytes over all calls but the first.
};

/// kEnd: the process after its interpreter came to its end. Filled in by the engine, which alone
/// can see it.
struct Ended {
  uint32_t stage = 0;  // 0: not so far. 1: the deleters were being called. 2: all of them returned.
  std::string how;     // "host exited with code 0", "SIGSEGV", "still running after 10 s".
};

using Observation = std::variant<NotPerformed, Done, Unsupported, AdapterFault, Raised, Made,
                                 Probed, DeviceAnswer, Exported, Inspected, Elements, Dropped,
                                 Counted, Many, TableSeen, TableCall, Ended>;

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
