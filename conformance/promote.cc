#include "conformance/promote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
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

// Each step as a call of ScriptBuilder.
constexpr std::pair<Op, const char*> kStepCodes[] = {
    {Op::kMake, "Make({a}, spec{spec})"},
    {Op::kMakeRefusal, "MakeRefusal({a}, {n})"},
    {Op::kProbe, "Probe({a})"},
    {Op::kDevice, "Device({n}, {a})"},
    {Op::kExport, "Export({request}, {e}, {a})"},
    {Op::kInspect, "Inspect({e})"},
    {Op::kRead, "Read({e})"},
    {Op::kReadOwn, "ReadOwn({a})"},
    {Op::kWrite, "Write({n}, {e})"},
    {Op::kPoke, "Poke({n}, {a})"},
    {Op::kInterpose, "Interpose({e})"},
    {Op::kRename, "Rename({name}, {e})"},
    {Op::kDropCapsule, "DropCapsule({e}, {pending})"},
    {Op::kCallDeleter, "CallDeleter({thread}, {e}, {pending})"},
    {Op::kDeleterCalls, "DeleterCalls({e})"},
    {Op::kDropArray, "DropArray({a})"},
    {Op::kCollect, "Collect()"},
    {Op::kChurn, "Churn({n})"},
    {Op::kRefCount, "RefCount({a})"},
    {Op::kExportMany, "ExportMany({n}, {request}, {pending}, {a})"},
    {Op::kConsumeMany, "ConsumeMany({n}, {request}, {name}, {e}, {a})"},
    {Op::kReleaseTogether, "ReleaseTogether({n}, {request}, {thread})"},
    {Op::kDerive, "Derive(static_cast<Derived>({n}), {a}, {e})"},
    {Op::kEnd, "End()"},
    {Op::kTable, "Table({pending}, {a})"},
    {Op::kTableExport, "TableExport({e}, {a}, {bad})"},
    {Op::kTableBorrow, "TableBorrow({n}, {a}, {bad})"},
    {Op::kTableAllocate, "TableAllocate(spec{spec}, {bad}, {thread}, {e})"},
    {Op::kTableStream, "TableStream({n}, {a})"},
    {Op::kTableImport, "TableImport({e}, spec{spec}, {bad}, {pending})"},
    {Op::kImportCalls, "ImportCalls()"},
    {Op::kUseStream, "UseStream(static_cast<StreamUse>({n}), {a})"},
};

std::string StepCode(const Step& s) {
  const auto number = [](const char* type, auto value) {
    return fmt::format("static_cast<{}>({})", type, static_cast<int>(value));
  };
  const auto* const row = std::find_if(std::begin(kStepCodes), std::end(kStepCodes),
                                       [&](const auto& code) { return code.first == s.op; });
  if (row == std::end(kStepCodes)) return "Collect()";
  return fmt::format(fmt::runtime(row->second), fmt::arg("a", s.a), fmt::arg("e", s.e),
                     fmt::arg("n", s.n), fmt::arg("spec", s.spec), fmt::arg("pending", s.pending),
                     fmt::arg("name", s.name == Name::kUsed ? "Name::kUsed" : "Name::kForeign"),
                     fmt::arg("thread", number("Thread", s.thread)),
                     fmt::arg("bad", number("BadInput", s.bad)),
                     fmt::arg("request", RequestCode(s.request)));
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
