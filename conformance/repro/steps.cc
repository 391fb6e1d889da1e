#include "conformance/repro/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/repro/spec_text.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

std::string ArrayName(int slot) { return fmt::format("a{}", slot); }

std::string Pattern(const ArraySpec* spec, uint32_t n) {
  const DLDataType dtype = spec == nullptr ? DLDataType{kDLFloat, 32, 1} : spec->dtype;
  std::string element(ElementBytes(dtype), '\0');
  PatternElement(dtype, n, reinterpret_cast<uint8_t*>(element.data()));
  return BytesText(element);
}

// By Thread; kContended is another kind of step.
constexpr const char* kRelease[] = {"release", "release_free", "release_foreign"};

}  // namespace

std::string StepWriter::Count(const char* name) {
  return fmt::format("{}{}", name, counts_[name]++);
}

std::string StepWriter::Call(const Step& s) const {
  std::string request = RequestText(s.request);
  const size_t own = request.find("x.__dlpack_device__");
  if (own != std::string::npos) request.replace(own, 1, ArrayName(s.a));
  return fmt::format("{}.__dlpack__({})", ArrayName(s.a), request);
}

bool StepWriter::Failed(size_t index) const {
  if (index >= trace_.steps.size()) return false;
  const auto* many = std::get_if<::dlpc::Many>(&trace_.steps[index]);
  return std::holds_alternative<Raised>(trace_.steps[index]) ||
         (many != nullptr && many->first_error.has_value());
}

std::string StepWriter::Kind(const Step& s) const { return "type(" + ArrayName(s.a) + ")"; }

ReproStep StepWriter::Array(const Step& s, size_t index) {
  const std::string x = ArrayName(s.a);
  ReproStep step;
  const Made* made =
      index < trace_.steps.size() ? std::get_if<Made>(&trace_.steps[index]) : nullptr;
  if (s.op == Op::kMake) {
    if (made == nullptr || !made->given) of_[s.a] = &script_.specs[s.spec];
    step.lines = recipe_->Make(script_.specs[s.spec], x);
  } else {
    if (made != nullptr) object_ = made->description;
    step.lines = recipe_->MakeRefusal(s.n, made == nullptr ? "" : made->description, x);
    return step;
  }
  const std::string pointer = Count("pointer"), allocation = Count("allocation");
  step.lines.push_back(pointer + " = " + recipe_->Ask("pointer", x));
  step.lines.push_back(allocation + " = " + recipe_->Ask("allocation", x));
  return step;
}

ReproStep StepWriter::Export(const Step& s, size_t index) {
  ReproStep step;
  step.names = {slots_[s.e] = Count("export")};
  step.call = Call(s);
  step.raised = Failed(index);
  return step;
}

ReproStep StepWriter::Look(const Step& s, size_t index) {
  const std::string e = slots_.count(s.e) != 0 ? slots_[s.e] : "None", x = ArrayName(s.a);
  const auto seen = [&](const char* name, const std::string& text) {
    const std::string variable = Count(name);
    return ReproStep{{variable + " = " + text}, {variable}, true};
  };
  switch (s.op) {
    case Op::kProbe:
      return seen("probe", fmt::format("[hasattr(y, m) for y in (type({0}), {0}) for m in "
                                       "('__dlpack__', '__dlpack_device__')]",
                                       x));
    case Op::kDevice: {
      const std::string name = Count("device"), call = x + ".__dlpack_device__()";
      ReproStep step{{name + " = " + call}, {name}, true};
      if (Failed(index)) {
        step.lines = {"try:", "    " + step.lines[0],
                      "except Exception as error:", "    " + name + " = error"};
      }
      if (s.n <= 1) return step;
      step.names.push_back("devices" + name.substr(6));
      step.lines.push_back(fmt::format("{} = [{} for _ in range({})]", step.names[1], call, s.n));
      return step;
    }
    case Op::kInspect:
      return seen("inspect", fmt::format("look({})", e));
    case Op::kRead:
      return seen("read", fmt::format("elements(look({}))", e));
    case Op::kDeleterCalls:
      return seen("calls", fmt::format("len({}.calls)", e));
    case Op::kRefCount:
      return seen("refs", recipe_->Ask("references", x));
    default:
      break;
  }
  // kReadOwn: where the library cannot, by what the array was made of.
  const bool read = index < trace_.steps.size() && std::get_if<Elements>(&trace_.steps[index]);
  if (read || of_.count(s.a) == 0) return seen("own", recipe_->Ask("read", x));
  return seen("own", BytesText(PatternValues(*of_[s.a])));
}

ReproStep StepWriter::Release(const Step& s) {
  const std::string e = slots_.count(s.e) != 0 ? slots_[s.e] : "None";
  switch (s.op) {
    case Op::kInterpose:
      return {{fmt::format("count_deleter({})", e)}, {}};
    case Op::kRename:
      return {{s.name == Name::kUsed ? fmt::format("rename({0}, b'used_' + {0}.name)", e)
                                     : fmt::format("rename({}, b'foreign')", e)},
              {}};
    case Op::kDropCapsule: {
      if (!s.pending) return {{fmt::format("{}.capsule = None", e)}, {}};
      const std::string name = Count("raised");
      return {{fmt::format("{} = dropped_while_raising({})", name, e)}, {name}};
    }
    case Op::kEnd: {
      ReproStep step;
      for (const auto& [slot, variable] : slots_) {
        step.lines.push_back(fmt::format("at_exit({})", variable));
      }
      return step;
    }
    default:
      break;
  }
  ReproStep step;
  step.possible = !s.pending;
  if (s.thread != Thread::kContended) {
    step.lines = {fmt::format("{}({})", kRelease[static_cast<size_t>(s.thread)], e)};
    return step;
  }
  const std::string name = Count("contended");
  step.names = {name};
  step.lines = {fmt::format("{} = release_contended({}, lambda: {})", name, e,
                            recipe_->Ask("references", ArrayName(s.a)))};
  return step;
}

ReproStep StepWriter::Many(const Step& s, size_t index) {
  const std::string call = Call(s);
  const auto many = [&](const char* kind, const std::string& text) {
    const std::string name = Count(kind);
    return ReproStep{{name + " = " + text}, {name}};
  };
  if (s.op == Op::kReleaseTogether) {
    return many("together", fmt::format("together({}, lambda: {}, {})", s.n, call,
                                        s.thread == Thread::kForeign ? "True" : "False"));
  }
  if (s.op == Op::kConsumeMany) {
    if (s.pending) return many("consumed", fmt::format("consume_each({}, lambda: {})", s.n, call));
    return many("consumed", fmt::format("consume_many({}, lambda: {}{})", s.n, call,
                                        s.name == Name::kForeign ? ", b'foreign'" : ""));
  }
  ReproStep step = many("many", fmt::format("export_many({}, lambda: {}, {})", s.n, call,
                                            s.pending ? "False" : "True"));
  step.names.push_back("places" + step.names[0].substr(4));
  step.lines.push_back(
      fmt::format("{} = name_addresses({}, lambda: {})", step.names[1], s.n, call));
  step.unasked = {fmt::format("for _ in range({}):", s.n),
                  Failed(index) ? "    attempt(lambda: " + call + ")" : "    " + call};
  if (!s.pending && !Failed(index)) {
    step.unasked = {fmt::format("[{} for _ in range({})]", call, s.n)};
  }
  return step;
}

ReproStep StepWriter::Derive(const Step& s) {
  const std::string from = ArrayName(s.e), to = ArrayName(s.a), name = Count("derived");
  const auto how = static_cast<Derived>(s.n);
  if (how == Derived::kRemedied) {
    const std::string values = Count("values");
    const Facts facts = {{"name", StringText(object_)}};
    return {{to + " = " + recipe_->Ask("remedy", from, facts),
             values + " = " + recipe_->Ask("values", from, facts)},
            {name, values}};
  }
  const std::string kind = fmt::format("type('Derived', (type({}),), {{}})", from);
  const std::string made = how == Derived::kWrapper
                               ? fmt::format("Wrapper({})", from)
                               : recipe_->Ask(how == Derived::kImported ? "consume" : "subclass",
                                              from, {{"kind", kind}});
  ReproStep step{{fmt::format("{} = {}", to, made), fmt::format("{} = type({})", name, to)},
                 {name}};
  if (how == Derived::kImported) {
    step.names.push_back(Count("imported"));
    step.lines.push_back(step.names[1] + " = " + recipe_->Ask("pointer", to));
  }
  return step;
}

ReproStep StepWriter::Write(size_t index) {
  const Step& s = script_.steps[index];
  switch (s.op) {
    case Op::kMake:
    case Op::kMakeRefusal:
      return Array(s, index);
    case Op::kExport:
      return Export(s, index);
    case Op::kProbe:
    case Op::kDevice:
    case Op::kInspect:
    case Op::kRead:
    case Op::kReadOwn:
    case Op::kDeleterCalls:
    case Op::kRefCount:
      return Look(s, index);
    case Op::kWrite: {
      const std::string element = Pattern(of_.count(s.a) != 0 ? of_[s.a] : nullptr, s.n);
      return {{fmt::format("ctypes.memmove(look({}).first, {}, len({}))", slots_[s.e], element,
                           element)},
              {}};
    }
    case Op::kPoke:
      return {{recipe_->Ask("poke", ArrayName(s.a),
                            {{"element", Pattern(of_.count(s.a) != 0 ? of_[s.a] : nullptr, s.n)}})},
              {}};
    case Op::kDropArray:
      return {{ArrayName(s.a) + " = None"}, {}};
    case Op::kCollect:
      return {{"gc.collect()"}, {}};
    case Op::kChurn:
      return {{fmt::format("churn({:#x})", s.n & 0xff)}, {}};
    case Op::kInterpose:
    case Op::kRename:
    case Op::kDropCapsule:
    case Op::kCallDeleter:
    case Op::kEnd:
      return Release(s);
    case Op::kExportMany:
    case Op::kConsumeMany:
    case Op::kReleaseTogether:
      return Many(s, index);
    case Op::kDerive:
      return Derive(s);
    case Op::kUseStream:
    case Op::kCount_: {
      ReproStep step;
      step.possible = false;
      return step;
    }
    default:
      return Table(s);
  }
}

}  // namespace dlpc
