// A script: what to do to a producer, as a short list of steps from one small instruction set.
// The same scripts are conformance cases (fixed), fuzz inputs (random), benchmarks (timed) and
// repros (printed).
#ifndef DLPC_HARNESS_SCRIPT_H_
#define DLPC_HARNESS_SCRIPT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/layout.h"
#include "reference/request.h"

namespace dlpc {

inline constexpr int kArraySlots = 4;   // Arrays a0..a3.
inline constexpr int kExportSlots = 4;  // Exports e0..e3.
inline constexpr int kMaxSpecs = 4;     // More than these cannot be sent to a host.
inline constexpr int kMaxSteps = 64;
inline constexpr uint32_t kMaxRepeat = 100'000;

enum class Op : uint8_t {
  kMake,          // a := array made from Script::specs[spec].
  kMakeRefusal,   // a := the n-th object of the adapter's refusals().
  kProbe,         // Which protocol attributes do the type and the instance of a have?
  kDevice,        // Ask a for its device n times (0 counts as 1).
  kExport,        // e := a.__dlpack__(request).
  kInspect,       // Read every field of e's managed tensor.
  kRead,          // Read all elements through e's data pointer.
  kReadOwn,       // Read all elements of a through the producer's own means.
  kWrite,         // Write pattern element n into e's first element, if that is allowed.
  kPoke,          // Write pattern element n into a's first element by the producer's own means.
  kInterpose,     // Put a counting deleter in front of e's own.
  kRename,        // Rename e's capsule as `name` says.
  kDropCapsule,   // Drop e's capsule; an exception is pending meanwhile if `pending`.
  kCallDeleter,   // Call e's deleter on the thread that `thread` says; an exception is pending
                  // meanwhile if `pending`.
  kDeleterCalls,  // How often was e's interposed deleter called?
  kDropArray,     // Drop a.
  kCollect,       // Full garbage collection.
  kChurn,         // Allocate and free many blocks filled with byte n.
  kRefCount,      // References to a, relative to when it was made.
  kExportMany,    // Export a n times by request; hold all capsules, or drop each if `pending`.
  kConsumeMany,   // Release all exports; then export a n times, rename each capsule as `name` says
                  // and drop it, and release all in the end, or each at once if `pending`.
  kReleaseTogether,  // Release all exports; then export a n times by request, on several threads at
                     // once if `thread` is kForeign, and release all on several threads at once.
  kDerive,           // a := made of array e as Derived(n) says.
  kEnd,              // As the last step: keep the structs of all consumed exports until the host's
                     // interpreter has come to its end, and only then call their deleters.
  // The C exchange table of a's type (DLPack 1.3).
  kTable,          // Look the table up and read it; on a subclass of the type too if `pending`.
  kTableExport,    // e := table.managed_tensor_from_py_object_no_sync(a); `bad` kObject: of an
                   // object of another type.
  kTableBorrow,    // table.dltensor_from_py_object_no_sync(a) n times (0 counts as 1); `bad` too.
  kTableAllocate,  // e := table.managed_tensor_allocator of a tensor like `spec`, but for `bad`,
                   // on the thread that `thread` says.
  kTableStream,    // table.current_work_stream of device (n, 0).
  kTableImport,    // Array slot e := table.managed_tensor_to_py_object_no_sync of a tensor of ours
                   // like `spec`, but for `bad`; its manager_ctx is NULL if `pending`.
  kImportCalls,    // How often was the deleter of the last tensor of ours called?
  kUseStream,      // On a's device, by the library's own means, what StreamUse(n) says.
  kCount_,
};

/// What is wrong with what a function of the exchange table is given.
enum class BadInput : uint8_t { kNone, kDType, kDevice, kExtent, kObject, kCount_ };

/// What a consumer does to a capsule's name.
enum class Name : uint8_t { kUsed, kForeign, kCount_ };

/// Where a deleter is called.
enum class Thread : uint8_t {
  kLocked,     // This thread, holding the interpreter lock.
  kFree,       // This thread, lock released.
  kForeign,    // A thread the interpreter never saw, lock released here.
  kContended,  // The same, but this thread lets go of the lock only when the other one waits for
               // it.
  kCount_,
};

/// What kDerive makes of an array.
enum class Derived : uint8_t {
  kSubclass,  // The same elements in an object of a trivial subclass.
  kWrapper,   // An object that forwards both methods of the protocol.
  kImported,  // What the library's own consumer makes of it.
  kRemedied,  // What the adapter's way around the refusal of an object makes of it.
  kCount_,
};

/// What kUseStream does. The consumer's stream is made for the script, apart from the library.
enum class StreamUse : uint8_t {
  kChange,        // Make another stream current: its handle.
  kWork,          // Start long work on that, which ends by writing a.
  kIsOver,        // Is that work over?
  kConsumer,      // Make a stream of the consumer's: its handle.
  kEndConsumer,   // Destroy it: was it still there?
  kLegacyIdle,    // Has the legacy default stream nothing left to do and to wait for?
  kThreadIdle,    // The same of the per-thread default stream,
  kConsumerIdle,  // and of the consumer's.
  kCount_,
};

struct Step {
  Op op = Op::kMake;
  uint8_t a = 0;     // Array slot.
  uint8_t e = 0;     // Export slot.
  uint8_t spec = 0;  // Index into Script::specs.
  Name name = Name::kUsed;
  Thread thread = Thread::kLocked;
  bool pending = false;
  BadInput bad = BadInput::kNone;
  uint32_t n = 0;
  Request request;
};

struct Script {
  std::vector<ArraySpec> specs;
  std::vector<Step> steps;
};

std::string_view OpName(Op op);

/// One line per step, e.g. "2 export e0 = a0.__dlpack__(max_version=(1, 3))".
std::vector<std::string> ScriptText(const Script& script);

/// Wire form. Decoding is total: any bytes are some valid script; decoding what Encode wrote gives
/// the same script. Valid scripts respect the limits above, index existing specs, have normalized
/// specs, and leave fields that a step does not use (`request` outside exports, the value of a
/// keyword that is not kValue) at their defaults.
std::string EncodeScript(const Script& script);
/// The same, but for steps at the end that do not fit; how many bytes, 0 if the specs do not fit.
size_t EncodeScript(const Script& script, std::span<uint8_t> to);
Script DecodeScript(std::span<const uint8_t> bytes);
/// The same into `script`, whose memory is used again.
void DecodeScript(std::span<const uint8_t> bytes, Script& script);

/// Builds scripts readably: Script s = ScriptBuilder(spec).Export(...).Inspect().Build();
class ScriptBuilder {
 public:
  explicit ScriptBuilder(ArraySpec spec);  // Starts with make a0.
  ScriptBuilder();                         // Starts empty.
  ScriptBuilder& Make(uint8_t a, ArraySpec spec);
  ScriptBuilder& MakeRefusal(uint8_t a, uint32_t n);
  ScriptBuilder& Probe(uint8_t a = 0);
  ScriptBuilder& Device(uint32_t n = 1, uint8_t a = 0);
  ScriptBuilder& Export(Request request = {}, uint8_t e = 0, uint8_t a = 0);
  ScriptBuilder& Inspect(uint8_t e = 0);
  ScriptBuilder& Read(uint8_t e = 0);
  ScriptBuilder& ReadOwn(uint8_t a = 0);
  ScriptBuilder& Write(uint32_t n, uint8_t e = 0);
  ScriptBuilder& Poke(uint32_t n, uint8_t a = 0);
  ScriptBuilder& Interpose(uint8_t e = 0);
  ScriptBuilder& Rename(Name name, uint8_t e = 0);
  ScriptBuilder& DropCapsule(uint8_t e = 0, bool pending = false);
  ScriptBuilder& CallDeleter(Thread thread = Thread::kLocked, uint8_t e = 0, bool pending = false);
  ScriptBuilder& DeleterCalls(uint8_t e = 0);
  ScriptBuilder& DropArray(uint8_t a = 0);
  ScriptBuilder& Collect();
  ScriptBuilder& Churn(uint32_t byte);
  ScriptBuilder& RefCount(uint8_t a = 0);
  ScriptBuilder& ExportMany(uint32_t n, Request request, bool drop_each, uint8_t a = 0);
  ScriptBuilder& ConsumeMany(uint32_t n, Request request, Name name, uint8_t e = 3, uint8_t a = 0);
  ScriptBuilder& Table(bool subclass = false, uint8_t a = 0);
  ScriptBuilder& TableExport(uint8_t e = 0, uint8_t a = 0, BadInput bad = BadInput::kNone);
  ScriptBuilder& TableBorrow(uint32_t n = 1, uint8_t a = 0, BadInput bad = BadInput::kNone);
  ScriptBuilder& TableAllocate(ArraySpec spec, BadInput bad, Thread thread, uint8_t e = 0);
  ScriptBuilder& TableStream(uint32_t device_type, uint8_t a = 0);
  ScriptBuilder& TableImport(uint8_t to, ArraySpec spec, BadInput bad = BadInput::kNone,
                             bool no_context = false);
  ScriptBuilder& ImportCalls();
  ScriptBuilder& UseStream(StreamUse use = StreamUse::kChange, uint8_t a = 0);
  ScriptBuilder& ConsumeEach(uint32_t n, Request request);  // The same, each released at once.
  ScriptBuilder& ReleaseTogether(uint32_t n, Request request, Thread exports_on);
  ScriptBuilder& End();
  ScriptBuilder& Derive(Derived how, uint8_t a, uint8_t from = 0);
  Script Build() const { return script_; }

 private:
  Step& Add(Op op);
  uint8_t Spec(ArraySpec spec);
  Script script_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_SCRIPT_H_
