// Observations as text for reports.
#include <fmt/format.h>

#include <algorithm>

#include "harness/trace.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr size_t kShownBytes = 16;
constexpr size_t kShownEntries = 8;

std::string Tuple(std::span<const int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size() && i < kShownEntries; ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  }
  if (values.size() > kShownEntries) text += fmt::format(", ... {} entries", values.size());
  return text + (values.size() == 1 ? ",)" : ")");
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size() && i < kShownBytes; ++i) {
    text += fmt::format("{:02x} ", static_cast<uint8_t>(bytes[i]));
  }
  if (bytes.size() > kShownBytes) return text + "...";
  if (!text.empty()) text.pop_back();
  return text;
}

const char* YesNo(bool value) { return value ? "yes" : "no"; }

std::string ItemText(Item kind, int64_t value) {
  switch (kind) {
    case Item::kMissing:
      return "nothing";
    case Item::kNone:
      return "None";
    case Item::kOther:
      return "no number";
    case Item::kInt:
      return std::to_string(value);
    case Item::kEnum:
      return fmt::format("enum {}", value);
    case Item::kIndexable:
      return fmt::format("index {}", value);
    case Item::kCount_:
      break;
  }
  return "?";
}

// `values` of a pointer that may be NULL or lead nowhere.
std::string ArrayText(std::span<const int64_t> values, const int64_t* pointer, bool readable) {
  if (pointer == nullptr) return "NULL";
  return readable ? Tuple(values) : "unreadable";
}

std::string_view FormText(TableForm form) {
  constexpr std::string_view kTexts[] = {"missing", "not a capsule", "a capsule of another name",
                                         "the table", "not tried"};
  return form < TableForm::kCount_ ? kTexts[static_cast<size_t>(form)] : "?";
}

struct Text {
  std::string operator()(const NotPerformed& v) const { return "not performed: " + v.reason; }
  std::string operator()(const Done&) const { return "done"; }
  std::string operator()(const Unsupported& v) const { return "not supported: " + v.reason; }
  std::string operator()(const AdapterFault& v) const { return "adapter error: " + v.text; }
  std::string operator()(const Raised& v) const {
    const std::string type = v.type.empty() ? "an exception without a class" : v.type;
    return v.message.empty() ? type : type + ": " + v.message;
  }

  std::string operator()(const Made& v) const {
    std::string text = v.description.empty() ? "array" : v.description;
    if (v.given) text += " (given)";
    if (v.pointer) text += fmt::format(", at {:#x}", *v.pointer);
    if (v.shape) text += fmt::format(", shape {}", Tuple(*v.shape));
    if (v.device) text += fmt::format(", device {}", DeviceText(*v.device));
    if (v.read_only) text += *v.read_only ? ", read-only" : ", writable";
    if (v.allocation) {
      text += fmt::format(", buffer {} bytes at {:#x}", v.allocation->second, v.allocation->first);
    }
    return text;
  }

  std::string operator()(const Probed& v) const {
    return fmt::format("__dlpack__: type {}, instance {}; __dlpack_device__: type {}, instance {}",
                       YesNo(v.type_has_dlpack), YesNo(v.instance_has_dlpack),
                       YesNo(v.type_has_device), YesNo(v.instance_has_device));
  }

  std::string operator()(const DeviceAnswer& v) const {
    std::string text = v.repr;
    if (text.empty()) {
      text = fmt::format("({}, {})", ItemText(v.type_kind, v.type), ItemText(v.id_kind, v.id));
    }
    if (!v.is_tuple) text += ", not a tuple";
    if (v.differing > 0) text += fmt::format(", {} of {} calls differ", v.differing, v.calls);
    return text;
  }

  std::string operator()(const Exported& v) const {
    if (!v.is_capsule) return fmt::format("an object of type {}, not a capsule", v.type_name);
    return fmt::format("capsule \"{}\"{}", v.name, v.has_destructor ? "" : " without destructor");
  }

  std::string operator()(const Inspected& v) const {
    const DLTensor t = TensorOf(v);
    const DLPackVersion version = VersionOf(v);
    std::string text = v.versioned ? fmt::format("version {}.{}, flags {:#x}, ", version.major,
                                                 version.minor, FlagsOf(v))
                                   : "legacy struct, ";
    text += fmt::format("device {}, {}, ndim {}, shape {}, strides {}, data {:#x} + {}",
                        DeviceText(t.device), DTypeName(t.dtype), t.ndim,
                        ArrayText(v.shape, t.shape, v.shape_readable),
                        ArrayText(v.strides, t.strides, v.strides_readable),
                        reinterpret_cast<uintptr_t>(t.data), t.byte_offset);
    if (DeleterOf(v) == 0) return text + ", deleter NULL";
    return v.deleter_executable ? text : text + ", deleter is not code";
  }

  std::string operator()(const Elements& v) const {
    if (!v.readable) return fmt::format("memory [{:#x}, {:#x}) cannot be read", v.low, v.high);
    return fmt::format("{} bytes: {}", v.bytes.size(), Hex(v.bytes));
  }

  std::string operator()(const Dropped& v) const {
    std::string text;
    if (v.threw) text += "a C++ exception came out, ";
    if (v.left_exception) text += "an exception was left set, ";
    if (v.lost_exception) text += "the pending exception was lost, ";
    if (!v.unraisable.empty()) text += fmt::format("unraisable: {}, ", v.unraisable);
    if (v.without_lock) text += "while another thread held the lock, ";
    if (text.empty()) return "released quietly";
    text.resize(text.size() - 2);
    return text;
  }

  std::string operator()(const Counted& v) const {
    return std::to_string(v.value) + (v.same_pointer ? "" : ", with another pointer");
  }

  std::string operator()(const Ended& v) const {
    constexpr std::string_view kStages[] = {"before the interpreter's end", "in a deleter",
                                            "all deleters returned"};
    return fmt::format("{}; {}", kStages[std::min<size_t>(v.stage, 2)], v.how);
  }

  std::string operator()(const Many& v) const {
    std::string text =
        fmt::format("{} of {} calls gave capsules; distinct: {} capsules, {} managed tensors",
                    v.capsules, v.tried, v.distinct_capsules, v.distinct_managed);
    if (v.distinct_name_pointers > 0) {  // 0: not looked at.
      text += fmt::format(", {} name pointers", v.distinct_name_pointers);
    }
    if (v.differing > 0) text += fmt::format("; {} differ from the first", v.differing);
    if (!v.names.empty()) text += fmt::format("; names: {}", fmt::join(v.names, ", "));
    if (v.heap_growth) text += fmt::format("; heap growth {} bytes", *v.heap_growth);
    if (v.object_growth) text += fmt::format(", {} objects", *v.object_growth);
    if (v.first_error) text += "; first error: " + (*this)(*v.first_error);
    return text;
  }

  std::string operator()(const TableSeen& v) const {
    std::string text =
        fmt::format("exchange table: type {}, instance {}, subclass {}", FormText(v.on_type),
                    FormText(v.on_instance), FormText(v.on_subclass));
    if (v.on_type != TableForm::kTable && !v.found.empty()) text += "; found " + v.found;
    if (!v.readable) return text;
    return text + fmt::format("; at {:#x}, version {}.{}", v.address, v.major, v.minor);
  }

  std::string operator()(const TableCall& v) const {
    if (v.threw) return "a C++ exception came out";
    std::string text = fmt::format("returned {}", v.code);
    if (v.raised) text += ", set " + (*this)(*v.raised);
    if (!v.out_written) text += ", left the out-parameter untouched";
    if (v.set_errors > 0) text += fmt::format(", SetError {} times: {}", v.set_errors, v.error);
    if (v.tensor) text += "; " + (*this)(*v.tensor);
    if (v.made) text += "; " + (*this)(*v.made);
    return text;
  }
};

}  // namespace

std::string ObservationText(const Observation& observation) {
  std::string text = std::visit(Text{}, observation);
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace dlpc
