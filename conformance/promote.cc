#include "conformance/promote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <vector>

#include "reference/dtype.h"

namespace dlpc {
namespace {

// "shape-06-rank-0" -> "Shape06Rank0"
std::string Identifier(std::string_view name) {
  std::string text;
  bool upper = true;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "Found" + text
                                                                                : text;
}

std::string EnumName(std::string_view name) {
  std::string text = "k";
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text;
}

std::string SpecCode(const ArraySpec& spec, size_t i) {
  std::string code = fmt::format("  ArraySpec spec{};\n  spec{}.dtype = ", i, i);
  const DTypeRow* row = FindDType(spec.dtype);
  code += row != nullptr ? fmt::format("FindDType(\"{}\")->dtype;\n", row->name)
                         : fmt::format("{{{}, {}, {}}};\n", spec.dtype.code, spec.dtype.bits,
                                       spec.dtype.lanes);
  std::vector<std::string> axes;
  for (const Axis& axis : spec.layout.axes) {
    axes.push_back(
        fmt::format("{{{}, {}, {}, {}}}", axis.extent, axis.start, axis.count, axis.step));
  }
  code += fmt::format("  spec{}.layout.axes = {{{}}};\n", i, fmt::join(axes, ", "));
  if (!spec.layout.perm.empty()) {
    code += fmt::format("  spec{}.layout.perm = {{{}}};\n", i, fmt::join(spec.layout.perm, ", "));
  }
  if (spec.memory != Memory::kCpu) {
    code += fmt::format("  spec{}.memory = Memory::{};\n", i, EnumName(MemoryName(spec.memory)));
  }
  if (spec.place != Place::kOrdinary) {
    code += fmt::format("  spec{}.place = Place::{};\n", i, EnumName(PlaceName(spec.place)));
  }
  if (spec.flags != 0) code += fmt::format("  spec{}.flags = {};\n", i, spec.flags);
  return code;
}

std::string ArgCode(const char* field, Arg arg, const std::string& value) {
  constexpr const char* kNames[] = {"kAbsent", "kNone", "kValue", "kOwn", "kOdd"};
  if (arg == Arg::kAbsent) return "";
  std::string code = fmt::format("    r.{} = Arg::{};\n", field, kNames[static_cast<int>(arg)]);
  return arg == Arg::kValue ? code + "    " + value + "\n" : code;
}

// A request as a lambda that makes it.
std::string RequestCode(const Request& r) {
  std::string code = "[] {\n    Request r;\n";
  code +=
      ArgCode("version", r.version,
              fmt::format("r.max_version = {{{}, {}}};", r.max_version.major, r.max_version.minor));
  code += ArgCode("copy", r.copy, fmt::format("r.copy_value = {};", r.copy_value));
  code += ArgCode("device", r.device,
                  fmt::format("r.dl_device = {{static_cast<DLDeviceType>({}), {}}};",
                              static_cast<int>(r.dl_device.device_type), r.dl_device.device_id));
  code += ArgCode("stream", r.stream, fmt::format("r.stream_value = {};", r.stream_value));
  if (r.odd != Odd::kInt1) {
    code += fmt::format("    r.odd = static_cast<Odd>({});\n", static_cast<int>(r.odd));
  }
  if (r.extra != Extra::kNone) {
    code += fmt::format("    r.extra = static_cast<Extra>({});\n", static_cast<int>(r.extra));
  }
  return code + "    return r;\n  }()";
}

std::string StepCode(const Step& s) {
  const auto name = [&] { return s.name == Name::kUsed ? "Name::kUsed" : "Name::kForeign"; };
  const auto thread = [&] {
    return fmt::format("static_cast<Thread>({})", static_cast<int>(s.thread));
  };
  const auto bad = [&] {
    return fmt::format("static_cast<BadInput>({})", static_cast<int>(s.bad));
  };
  switch (s.op) {
    case Op::kMake:
      return fmt::format("Make({}, spec{})", s.a, s.spec);
    case Op::kMakeRefusal:
      return fmt::format("MakeRefusal({}, {})", s.a, s.n);
    case Op::kProbe:
      return fmt::format("Probe({})", s.a);
    case Op::kDevice:
      return fmt::format("Device({}, {})", s.n, s.a);
    case Op::kExport:
      return fmt::format("Export({}, {}, {})", RequestCode(s.request), s.e, s.a);
    case Op::kInspect:
      return fmt::format("Inspect({})", s.e);
    case Op::kRead:
      return fmt::format("Read({})", s.e);
    case Op::kReadOwn:
      return fmt::format("ReadOwn({})", s.a);
    case Op::kWrite:
      return fmt::format("Write({}, {})", s.n, s.e);
    case Op::kPoke:
      return fmt::format("Poke({}, {})", s.n, s.a);
    case Op::kInterpose:
      return fmt::format("Interpose({})", s.e);
    case Op::kRename:
      return fmt::format("Rename({}, {})", name(), s.e);
    case Op::kDropCapsule:
      return fmt::format("DropCapsule({}, {})", s.e, s.pending);
    case Op::kCallDeleter:
      return fmt::format("CallDeleter({}, {}, {})", thread(), s.e, s.pending);
    case Op::kDeleterCalls:
      return fmt::format("DeleterCalls({})", s.e);
    case Op::kDropArray:
      return fmt::format("DropArray({})", s.a);
    case Op::kCollect:
      return "Collect()";
    case Op::kChurn:
      return fmt::format("Churn({})", s.n);
    case Op::kRefCount:
      return fmt::format("RefCount({})", s.a);
    case Op::kExportMany:
      return fmt::format("ExportMany({}, {}, {}, {})", s.n, RequestCode(s.request), s.pending, s.a);
    case Op::kConsumeMany:
      return fmt::format("ConsumeMany({}, {}, {}, {}, {})", s.n, RequestCode(s.request), name(),
                         s.e, s.a);
    case Op::kReleaseTogether:
      return fmt::format("ReleaseTogether({}, {}, {})", s.n, RequestCode(s.request), thread());
    case Op::kDerive:
      return fmt::format("Derive(static_cast<Derived>({}), {}, {})", s.n, s.a, s.e);
    case Op::kEnd:
      return "End()";
    case Op::kTable:
      return fmt::format("Table({}, {})", s.pending, s.a);
    case Op::kTableExport:
      return fmt::format("TableExport({}, {}, {})", s.e, s.a, bad());
    case Op::kTableBorrow:
      return fmt::format("TableBorrow({}, {}, {})", s.n, s.a, bad());
    case Op::kTableAllocate:
      return fmt::format("TableAllocate(spec{}, {}, {}, {})", s.spec, bad(), thread(), s.e);
    case Op::kTableStream:
      return fmt::format("TableStream({}, {})", s.n, s.a);
    case Op::kTableImport:
      return fmt::format("TableImport({}, spec{}, {}, {})", s.e, s.spec, bad(), s.pending);
    case Op::kImportCalls:
      return "ImportCalls()";
    case Op::kUseStream:
      return fmt::format("UseStream(static_cast<StreamUse>({}), {})", s.n, s.a);
    case Op::kCount_:
      break;
  }
  return "Collect()";
}

}  // namespace

std::string CaseStub(std::string_view name, std::string_view requirement, const Script& script) {
  const std::string id = Identifier(name);
  std::string code = fmt::format(
      "// TODO: what went wrong, where, and the link to the report.\n"
      "const Family& {0}() {{\n  static const Family family = [] {{\n",
      id);
  for (size_t i = 0; i < script.specs.size(); ++i) code += SpecCode(script.specs[i], i);
  code += "  ScriptBuilder b;\n";
  for (const Step& step : script.steps) code += "  b." + StepCode(step) + ";\n";
  code += fmt::format(
      "  return Family{{{{\"found/{}\", b.Build(), {}}}}};\n  }}();\n"
      "  return family;\n}}\n\n",
      name, script.specs.empty() ? "0" : "LayoutTags(spec0)");
  code += fmt::format(
      "// In the area's table of checks, with the judge of {0}:\n"
      "{{\"{0}\", {1}, 0, 0, Judge...}},\n",
      requirement.empty() ? "AREA-NN" : requirement, id);
  return code;
}

}  // namespace dlpc
