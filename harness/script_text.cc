// Scripts as text for maintainers.
#include <fmt/format.h>

#include <array>

#include "harness/script.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr const char* kStreamText[] = {
    "make another stream current on",
    "start long work on the current stream of",
    "is the long work over on",
    "consumers_stream = a new stream on",
    "destroy consumers_stream on",
    "is the legacy default stream idle on",
    "is the per-thread default stream idle on",
    "is consumers_stream idle on",
};
static_assert(std::size(kStreamText) == static_cast<size_t>(StreamUse::kCount_));

constexpr std::array<std::string_view, static_cast<size_t>(Op::kCount_)> kOpNames = {
    "make",          "make_refusal",
    "probe",         "device",
    "export",        "inspect",
    "read",          "read_own",
    "write",         "poke",
    "interpose",     "rename",
    "drop_capsule",  "call_deleter",
    "deleter_calls", "drop_array",
    "collect",       "churn",
    "ref_count",     "export_many",
    "consume_many",  "release_together",
    "derive",        "end",
    "table",         "table_export",
    "table_borrow",  "table_allocate",
    "table_stream",  "table_import",
    "import_calls",  "use_stream",
};
static_assert(!kOpNames.back().empty(), "a name for every Op");

constexpr std::string_view kThreadText[] = {"", "  # interpreter lock released",
                                            "  # on a thread the interpreter never saw",
                                            "  # on such a thread, with the lock held here"};
static_assert(std::size(kThreadText) == static_cast<size_t>(Thread::kCount_));

constexpr std::string_view kDerivedText[] = {"subclass of", "forwarding wrapper around",
                                             "from_dlpack of", "the adapter's remedy for"};
static_assert(std::size(kDerivedText) == static_cast<size_t>(Derived::kCount_));

std::string Tuple(std::span<const int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  }
  return text + (values.size() == 1 ? ",)" : ")");
}

std::string SpecText(const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  std::string text = fmt::format("{}, shape={}, strides={}", DTypeName(spec.dtype),
                                 Tuple(view.shape), Tuple(view.strides));
  if (view.offset != 0) text += fmt::format(", offset={}", view.offset);
  if (spec.memory != Memory::kCpu) {
    text += fmt::format(", memory={}", MemoryName(spec.memory));
  }
  if (spec.place != Place::kOrdinary) text += fmt::format(", place={}", PlaceName(spec.place));
  constexpr std::pair<SpecFlag, std::string_view> kFlags[] = {{kReadOnly, "read-only"},
                                                              {kStaticStorage, "static storage"},
                                                              {kSharded, "sharded"},
                                                              {kOddStride, "odd byte stride"}};
  for (const auto& [flag, name] : kFlags) {
    if (spec.flags & flag) text += fmt::format(", {}", name);
  }
  return text;
}

std::string Times(uint32_t n) { return n > 1 ? fmt::format("  # {} times", n) : ""; }

constexpr std::string_view kFaultText[] = {"", ", with an impossible dtype",
                                           ", on a device that does not exist",
                                           ", with a negative extent", ""};
static_assert(std::size(kFaultText) == static_cast<size_t>(BadInput::kCount_));

// What a function of the exchange table is called with.
std::string ObjectText(const Step& s) {
  return s.bad == BadInput::kObject ? "an object of another type" : fmt::format("a{}", s.a);
}

std::string TensorText(const Script& script, const Step& s) {
  if (s.spec >= script.specs.size()) return "no such spec";
  return SpecText(script.specs[s.spec]) + std::string(kFaultText[static_cast<size_t>(s.bad)]);
}

// Steps with the C exchange table and with streams.
std::string TableStepText(const Script& script, const Step& s) {
  switch (s.op) {
    case Op::kTable:
      return fmt::format("type(a{}).__dlpack_c_exchange_api__{}", s.a,
                         s.pending ? "  # and on a subclass" : "");
    case Op::kTableExport:
      return fmt::format("e{} = table(a{}).managed_tensor_from_py_object_no_sync({})", s.e, s.a,
                         ObjectText(s));
    case Op::kTableBorrow:
      return fmt::format("table(a{}).dltensor_from_py_object_no_sync({}){}", s.a, ObjectText(s),
                         Times(s.n));
    case Op::kTableAllocate:
      return fmt::format("e{} = table(a{}).managed_tensor_allocator({}){}", s.e, s.a,
                         TensorText(script, s), kThreadText[static_cast<size_t>(s.thread)]);
    case Op::kTableStream:
      return fmt::format("table(a{}).current_work_stream({}, 0)", s.a, s.n);
    case Op::kTableImport:
      return fmt::format("a{} = table(a{}).managed_tensor_to_py_object_no_sync({}{})", s.e, s.a,
                         TensorText(script, s), s.pending ? ", manager_ctx NULL" : "");
    case Op::kImportCalls:
      return "how often was the deleter of the tensor passed in called?";
    case Op::kUseStream:
      return fmt::format("{} the device of a{}", kStreamText[s.n % std::size(kStreamText)], s.a);
    default:
      return "";
  }
}

// Steps with many exports, other arrays, or the interpreter's end.
std::string ManyStepText(const Step& s) {
  switch (s.op) {
    case Op::kExportMany:
      return fmt::format("a{}.__dlpack__({})  # {} times, {}", s.a, RequestText(s.request), s.n,
                         s.pending ? "each capsule dropped" : "all capsules held");
    case Op::kConsumeMany:
      return fmt::format("a{}.__dlpack__({})  # {} times, each renamed {} and dropped, {} released",
                         s.a, RequestText(s.request), s.n,
                         s.name == Name::kUsed ? "as consumed" : "to a foreign name",
                         s.pending ? "and" : "then all");
    case Op::kReleaseTogether:
      return fmt::format(
          "a{}.__dlpack__({})  # {} times{}; all released on several threads at once", s.a,
          RequestText(s.request), s.n,
          s.thread == Thread::kForeign ? ", on several threads at once" : "");
    case Op::kDerive:
      return fmt::format("a{} = {} a{}", s.a, kDerivedText[s.n % std::size(kDerivedText)], s.e);
    case Op::kEnd:
      return "the interpreter ends; then the deleters of the consumed exports are called";
    default:
      return "";
  }
}

std::string StepText(const Script& script, const Step& s) {
  switch (s.op) {
    case Op::kMake:
      return fmt::format(
          "a{} = array({})", s.a,
          s.spec < script.specs.size() ? SpecText(script.specs[s.spec]) : "no such spec");
    case Op::kMakeRefusal:
      return fmt::format("a{} = refusals()[{}]", s.a, s.n);
    case Op::kProbe:
      return fmt::format("a{}: hasattr __dlpack__, __dlpack_device__, on type and instance", s.a);
    case Op::kDevice:
      return fmt::format("a{}.__dlpack_device__(){}", s.a, Times(s.n));
    case Op::kExport:
      return fmt::format("e{} = a{}.__dlpack__({})", s.e, s.a, RequestText(s.request));
    case Op::kInspect:
      return fmt::format("e{}: every field of the managed tensor", s.e);
    case Op::kRead:
      return fmt::format("e{}: all elements, through the data pointer", s.e);
    case Op::kReadOwn:
      return fmt::format("a{}: all elements, by the library itself", s.a);
    case Op::kWrite:
      return fmt::format("e{}: first element := pattern {}, through the data pointer", s.e, s.n);
    case Op::kPoke:
      return fmt::format("a{}: first element := pattern {}, by the library itself", s.a, s.n);
    case Op::kInterpose:
      return fmt::format("e{}: count the calls of the deleter", s.e);
    case Op::kRename:
      return fmt::format("e{}: capsule name := {}", s.e,
                         s.name == Name::kUsed ? "\"used_\" + its name" : "a foreign name");
    case Op::kDropCapsule:
      return fmt::format("del e{}{}", s.e, s.pending ? "  # while an exception is pending" : "");
    case Op::kCallDeleter:
      return fmt::format("e{}.deleter(e{}){}{}", s.e, s.e,
                         kThreadText[static_cast<size_t>(s.thread)],
                         s.pending ? "  # while an exception is pending" : "");
    case Op::kDeleterCalls:
      return fmt::format("e{}: how often was the deleter called?", s.e);
    case Op::kDropArray:
      return fmt::format("del a{}", s.a);
    case Op::kCollect:
      return "gc.collect()";
    case Op::kChurn:
      return fmt::format("allocate and free many blocks filled with byte {:#04x}", s.n & 0xff);
    case Op::kRefCount:
      return fmt::format("sys.getrefcount(a{})", s.a);
    default:
      break;
  }
  const std::string text = ManyStepText(s);
  return text.empty() ? TableStepText(script, s) : text;
}

}  // namespace

std::string_view OpName(Op op) {
  return op < Op::kCount_ ? kOpNames[static_cast<size_t>(op)] : "unknown";
}

std::vector<std::string> ScriptText(const Script& script) {
  std::vector<std::string> lines;
  for (const Step& step : script.steps) {
    lines.push_back(fmt::format("{} {} {}", lines.size(), OpName(step.op), StepText(script, step)));
  }
  return lines;
}

}  // namespace dlpc
