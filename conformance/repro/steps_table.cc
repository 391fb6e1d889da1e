// Steps on the exchange table.
#include <fmt/format.h>

#include "conformance/repro/spec_text.h"
#include "conformance/repro/steps.h"

namespace dlpc {

// Lines that make a tensor of ours, perhaps wrong in one point: the name of its variable.
std::string StepWriter::Tensor(const Step& s, ReproStep& step) {
  const ArraySpec& spec = script_.specs[s.spec];
  std::string name = Count("t");
  step.lines.push_back(fmt::format(
      "{} = tensor(({}, {}, {}), {}, {})", name, spec.dtype.code, spec.dtype.bits, spec.dtype.lanes,
      TupleText(Resolve(spec.layout).shape), BytesText(PatternValues(spec))));
  if (s.bad == BadInput::kDType) step.lines.push_back(name + ".code, " + name + ".bits = 250, 7");
  if (s.bad == BadInput::kDevice) step.lines.push_back(name + ".device[0] = 99");
  if (s.bad == BadInput::kExtent) {
    step.lines.push_back("ctypes.c_int64.from_address(" + name + ".shape).value = -1");
  }
  return name;
}

ReproStep StepWriter::Table(const Step& s) {
  const std::string x = fmt::format("a{}", s.a);
  const std::string object = s.bad == BadInput::kObject ? "object()" : x;
  const auto call = [&](const char* name, const std::string& text) {
    const std::string variable = Count(name);
    return ReproStep{{variable + " = " + text}, {variable}};
  };
  switch (s.op) {
    case Op::kTable: {
      ReproStep step = call("table", fmt::format("table({})", Kind(s)));
      step.observes = true;
      step.names.push_back("kinds" + step.names[0].substr(5));
      step.lines.push_back(fmt::format(
          "{} = [getattr(y, '__dlpack_c_exchange_api__', None) for y in (type({}), {})]",
          step.names[1], x, x));
      return step;
    }
    case Op::kTableExport: {
      ReproStep step = call("owned", fmt::format("table_owned({}, {})", Kind(s), object));
      slots_[s.e] = step.names[0];
      return step;
    }
    case Op::kTableBorrow:
      return call("borrow", s.n > 1 ? fmt::format("borrow_many({}, {}, {})", Kind(s), object, s.n)
                                    : fmt::format("table_borrow({}, {})", Kind(s), object));
    case Op::kTableAllocate: {
      ReproStep step;
      const std::string prototype = Tensor(s, step), name = slots_[s.e] = Count("allocate");
      step.names = {name};
      step.lines.push_back(fmt::format("{} = table_allocate({}, {}{})", name, Kind(s), prototype,
                                       s.thread == Thread::kLocked ? "" : ", ctypes.CFUNCTYPE"));
      step.possible = s.thread == Thread::kLocked || s.thread == Thread::kFree;
      return step;
    }
    case Op::kTableStream:
      return call("stream", fmt::format("table_stream({}, {})", Kind(s), s.n));
    case Op::kTableImport: {
      ReproStep step;
      const std::string t = Tensor(s, step), name = Count("import");
      step.names = {name};
      step.lines.push_back(
          fmt::format("{} = table_import({}, {}, {})", name, Kind(s), t, s.pending ? 0 : 1));
      step.lines.push_back(
          fmt::format("{0}, {1}.made = {1}.made, None", fmt::format("a{}", s.e), name));
      return step;
    }
    default: {  // kImportCalls, of the last tensor of ours.
      const std::string import = fmt::format("import{}", counts_["import"] - 1);
      ReproStep step = call("importcalls", fmt::format("len({}.calls)", import));
      step.observes = true;
      return step;
    }
  }
}

}  // namespace dlpc
