#include "conformance/repro/native_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr size_t kMaxNativeLiteral = 256;  // Bytes that are written out.

std::string NativeArray(int slot) { return fmt::format("a{}", slot); }

std::string BytesList(std::string_view bytes) {
  if (bytes.size() > kMaxNativeLiteral) return fmt::format("pattern({})", bytes.size());
  std::string text;
  for (const char c : bytes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", static_cast<unsigned char>(c));
  }
  return "{" + text + "}";
}

// The kind of memory as in harness/hosts/native_backend.cc; -1: none stands for it alone.
int32_t NativeDeviceType(Memory memory) {
  static constexpr int32_t kTypes[] = {kDLCPU,  kDLCUDA,     kDLCUDAHost, kDLCUDAManaged,
                                       kDLROCM, kDLROCMHost, kDLOneAPI,   kDLExtDev};
  const auto index = static_cast<size_t>(memory);
  return index < std::size(kTypes) ? kTypes[index] : -1;
}

// nullopt: C has no way to pass such arguments.
std::optional<std::string> RequestLiteral(const Request& r, const std::string& array) {
  for (const Arg arg : {r.version, r.copy, r.device, r.stream}) {
    if (arg == Arg::kOdd) return std::nullopt;
  }
  if (r.extra != Extra::kNone) return std::nullopt;
  static constexpr const char* kCopies[] = {"DLPC_COPY_NONE", "DLPC_COPY_FALSE", "DLPC_COPY_TRUE"};
  const auto given = [](Arg arg) { return arg == Arg::kValue ? 1 : 0; };
  const int copy = given(r.copy) == 0 ? 0 : r.copy_value ? 2 : 1;
  const std::string device =
      r.device == Arg::kOwn
          ? "own_device(" + array + ")"
          : fmt::format("{{static_cast<DLDeviceType>({}), {}}}",
                        static_cast<int>(r.dl_device.device_type), r.dl_device.device_id);
  const bool any = given(r.version) + copy + given(r.stream) != 0 || r.device == Arg::kValue ||
                   r.device == Arg::kOwn;
  if (!any) return "{sizeof(dlpc_request), 0, {}, DLPC_COPY_NONE, 0, {}, 0, 0}";
  return fmt::format("{{sizeof(dlpc_request), {}, {{{}, {}}}, {}, {}, {}, {}, {}}}",
                     given(r.version), r.max_version.major, r.max_version.minor, kCopies[copy],
                     r.device == Arg::kValue || r.device == Arg::kOwn ? 1 : 0, device,
                     given(r.stream), r.stream_value);
}

}  // namespace

std::string NativeString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') out += '\\';
    out += byte < 0x20 || byte == 0x7f ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return out + "\"";
}

std::string NativeText(const std::string& python) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"True", "true"}, {"False", "false"}, {"place(device0)", "device0"}};
  for (const auto& [word, text] : kWords) {
    if (python == word) return text;
  }
  constexpr std::string_view kBytes = "bytes.fromhex('";
  if (python.starts_with(kBytes)) {
    std::string bytes;
    for (size_t i = kBytes.size(); i + 2 < python.size(); i += 2) {
      bytes += (bytes.empty() ? "0x" : ", 0x") + python.substr(i, 2);
    }
    return "(Bytes{" + bytes + "})";
  }
  const bool numbers = std::all_of(python.begin(), python.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("(), -").find(c) != std::string_view::npos;
  });
  if (!numbers || !python.starts_with('(')) return python;
  std::string inside = python.substr(1, python.size() - 2);
  if (inside.ends_with(',')) inside.pop_back();
  return "(Ints{" + inside + "})";
}

std::string NativeWriter::Count(const char* name) {
  return fmt::format("{}{}", name, counts_[name]++);
}

std::string NativeWriter::Bytes(int slot, uint32_t n) const {
  const auto spec = of_.find(slot);
  const DLDataType dtype = spec == of_.end() ? DLDataType{kDLFloat, 32, 1} : spec->second->dtype;
  std::string element(ElementBytes(dtype), '\0');
  PatternElement(dtype, n, reinterpret_cast<uint8_t*>(element.data()));
  return BytesList(element);
}

ReproStep NativeWriter::Make(const Step& s) {
  const ArraySpec& spec = script_.specs[s.spec];
  const std::string x = NativeArray(s.a);
  const View view = Resolve(spec.layout);
  const int32_t type = NativeDeviceType(spec.memory);
  const bool read_only = (spec.flags & kReadOnly) != 0;
  std::string more;
  if (type != kDLCPU || read_only) more = fmt::format(", {}", type);
  if (read_only) more += ", DLPC_SPEC_READ_ONLY";
  ReproStep step;
  step.possible = type >= 0;
  step.lines.push_back(fmt::format("{}{} = make({{{}, {}, {}}}, {{{}}}, {{{}}}, {}, {}{});",
                                   made_.insert(s.a).second ? "dlpc_array* " : "", x,
                                   spec.dtype.code, spec.dtype.bits, spec.dtype.lanes,
                                   fmt::join(view.shape, ", "), fmt::join(view.strides, ", "),
                                   view.offset, BytesList(PatternBase(spec)), more));
  of_[s.a] = &spec;
  const std::string pointer = Count("pointer"), facts = Count("facts");
  step.lines.push_back(fmt::format("const void* {} = address(facts({}).pointer);", pointer, x));
  step.lines.push_back(fmt::format("const auto {} = facts({});", facts, x));
  return step;
}

ReproStep NativeWriter::Export(const Step& s, size_t index) {
  ReproStep step;
  const auto request = RequestLiteral(s.request, NativeArray(s.a));
  step.possible = request.has_value();
  step.names = {exports_[s.e] = Count("export")};
  consumed_.erase(s.e);
  step.call = fmt::format("dlpack({}, {})", NativeArray(s.a), request.value_or(""));
  step.raised = index < trace_.steps.size() && std::get_if<Raised>(&trace_.steps[index]) != nullptr;
  return step;
}

ReproStep NativeWriter::Look(const Step& s) {
  const std::string e = exports_.count(s.e) != 0 ? exports_[s.e] : "", x = NativeArray(s.a);
  const auto seen = [&](const char* kind, const std::string& text) {
    const std::string name = Count(kind);
    ReproStep step;
    step.lines = {fmt::format("const auto {} = {};", name, text)};
    step.names = {name};
    step.observes = true;
    return step;
  };
  switch (s.op) {
    case Op::kDevice: {
      ReproStep step = seen("device", "device(" + x + ")");
      const std::string all = "devices" + step.names[0].substr(6);
      step.names.push_back(all);
      step.lines.push_back(fmt::format("std::vector<Ints> {}({});", all, std::max(s.n, 1u)));
      step.lines.push_back(fmt::format("for (Ints& d : {}) d = device({});", all, x));
      return step;
    }
    case Op::kInspect:
      return seen("inspect", "look(" + e + ")");
    case Op::kRead:
      return seen("read", "elements(look(" + e + "))");
    case Op::kDeleterCalls:
      return seen("calls", "calls[managed(" + e + ")].size()");
    default:
      break;
  }
  const ArraySpec* spec = of_.count(s.a) != 0 ? of_[s.a] : nullptr;
  return seen("own", spec == nullptr ? "Bytes{}"
                                     : fmt::format("read({}, {})", x, PatternValues(*spec).size()));
}

ReproStep NativeWriter::Many(const Step& s) {
  ReproStep step;
  const auto request = RequestLiteral(s.request, NativeArray(s.a));
  step.possible = request.has_value();
  const std::string call = request.value_or(""), x = NativeArray(s.a);
  if (s.op == Op::kReleaseTogether) {
    step.names = {Count("together")};
    step.lines = {fmt::format("const Ints {} = together({}, {}, {}, {});", step.names[0], x, call,
                              s.n, s.thread == Thread::kForeign)};
    return step;
  }
  const bool consume = s.op == Op::kConsumeMany;
  step.names = {Count(consume ? "consumed" : "many")};
  step.lines = {fmt::format("const auto {} = {}({}, {}, {});", step.names[0],
                            consume || s.pending ? "release_each" : "hold_many", x, call, s.n)};
  return step;
}

ReproStep NativeWriter::Release(const Step& s) {
  ReproStep step;
  const std::string e = exports_.count(s.e) != 0 ? exports_[s.e] : "";
  step.possible = !e.empty();
  switch (s.op) {
    case Op::kInterpose:
      step.lines = {fmt::format("count({}.out.versioned);", e),
                    fmt::format("count({}.out.legacy);", e)};
      return step;
    case Op::kRename:
      consumed_.insert(s.e);
      return step;
    case Op::kDropCapsule:  // Calls the deleter of what nobody consumed.
      if (consumed_.insert(s.e).second) step.lines = {"release(" + e + ");"};
      return step;
    default: {  // kCallDeleter
      consumed_.insert(s.e);
      const std::string name = Count("threw"), call = "release(" + e + ")";
      step.names = {name};
      step.lines = {s.thread == Thread::kForeign || s.thread == Thread::kContended
                        ? "std::thread([&] { " + call + "; }).join();"
                        : call + ";"};
      return step;
    }
  }
}

ReproStep NativeWriter::Write(size_t index) {
  const Step& s = script_.steps[index];
  ReproStep step;
  switch (s.op) {
    case Op::kMake:
      return Make(s);
    case Op::kExport:
      return Export(s, index);
    case Op::kDevice:
    case Op::kInspect:
    case Op::kRead:
    case Op::kReadOwn:
    case Op::kDeleterCalls:
      return Look(s);
    case Op::kWrite:
      step.lines = {fmt::format("write(look({}), {});", exports_[s.e], Bytes(s.a, s.n))};
      return step;
    case Op::kPoke:
      step.lines = {fmt::format("poke({}, {});", NativeArray(s.a), Bytes(s.a, s.n))};
      return step;
    case Op::kDropArray:
      step.lines = {fmt::format("PLUGIN(dlpc_release)({});", NativeArray(s.a))};
      return step;
    case Op::kChurn:
      step.lines = {fmt::format("churn({:#x});", s.n & 0xff)};
      return step;
    case Op::kInterpose:
    case Op::kRename:
    case Op::kDropCapsule:
    case Op::kCallDeleter:
      return Release(s);
    case Op::kExportMany:
    case Op::kConsumeMany:
    case Op::kReleaseTogether:
      return Many(s);
    case Op::kCollect:
    case Op::kRefCount:  // There is none.
    case Op::kProbe:
      return step;
    default:
      step.possible = false;
      return step;
  }
}

}  // namespace dlpc
