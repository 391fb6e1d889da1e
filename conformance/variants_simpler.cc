// Making a finding small: what may be left out of a script.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "conformance/family_parts.h"
#include "conformance/variants.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// Each axis left out, made shorter, or made plain.
void AddSimplerLayouts(const Layout& layout, std::vector<Layout>& out) {
  if (!layout.perm.empty()) {
    out.push_back(layout);
    out.back().perm.clear();
  }
  for (size_t i = 0; i < layout.axes.size(); ++i) {
    Layout without = layout;
    without.axes.erase(without.axes.begin() + static_cast<std::ptrdiff_t>(i));
    without.perm.clear();
    out.push_back(std::move(without));
    const Axis& axis = layout.axes[i];
    const Axis simpler[] = {{axis.count, 0, axis.count, 1},
                            {axis.extent, 0, axis.count, axis.step},
                            {axis.extent, axis.start, axis.count, 1},
                            {axis.extent, axis.start, axis.count, axis.step < 0 ? -1 : 1},
                            {axis.extent / 2, axis.start, axis.count / 2, axis.step},
                            {axis.extent, axis.start, axis.count - 1, axis.step},
                            {axis.extent - 1, axis.start, axis.count, axis.step}};
    for (const Axis& candidate : simpler) {
      if (candidate == axis || candidate.extent < 0 || candidate.count < 0) continue;
      out.push_back(layout);
      out.back().axes[i] = candidate;
    }
  }
}

int64_t Size(const Script& script) {
  int64_t size = 0;
  for (const ArraySpec& spec : script.specs) {
    size += (spec.dtype == DLDataType{kDLFloat, 32, 1} ? 0 : 1) + (spec.flags != 0 ? 1 : 0);
    size += spec.layout.perm.empty() ? 0 : 2;
    for (const Axis& axis : spec.layout.axes) {
      size += 4 + axis.extent + axis.start + axis.count + std::abs(axis.step - 1);
    }
  }
  for (const Step& step : script.steps) {
    const Request& r = step.request;
    for (const Arg arg : {r.version, r.copy, r.device, r.stream}) {
      size += arg == Arg::kAbsent ? 0 : arg == Arg::kNone ? 1 : 2;
    }
    if (r.version == Arg::kValue) size += r.max_version.minor == 3 ? 0 : 1;
  }
  return size;
}

// Each keyword left out of the tried call.
void AddSimplerRequests(const Template& origin, const Script& script, std::vector<Script>& out) {
  if (!IsNegotiation(origin.script->name)) return;
  for (const Step& step : script.steps) {
    if (step.op != Op::kExport) continue;
    for (const auto keyword :
         {&Request::stream, &Request::device, &Request::copy, &Request::version}) {
      if (step.request.*keyword == Arg::kAbsent) continue;
      Request r = step.request;
      r.*keyword = Arg::kAbsent;
      Script simpler = WithControl(r, &Request::stream);
      simpler.specs = script.specs;
      out.push_back(std::move(simpler));
    }
    return;
  }
}

}  // namespace

std::vector<Script> SimplerScripts(const Template& origin, const Script& script) {
  std::vector<Script> out = {origin.script->script};
  AddSimplerRequests(origin, script, out);
  Script original = script;  // With the arguments of the catalogue.
  original.steps = origin.script->script.steps;
  out.push_back(original);
  if (!script.specs.empty()) {
    Script plain = script;
    for (size_t i = 0; i < plain.specs.size() && i < origin.script->script.specs.size(); ++i) {
      plain.specs[i].dtype = origin.script->script.specs[i].dtype;
      plain.specs[i].flags = origin.script->script.specs[i].flags;
    }
    out.push_back(std::move(plain));
    std::vector<Layout> layouts;
    AddSimplerLayouts(script.specs[0].layout, layouts);
    for (const Layout& layout : layouts) {
      Script simpler = script;
      for (ArraySpec& spec : simpler.specs) {
        spec.layout = layout;
        Normalize(spec);
      }
      out.push_back(std::move(simpler));
    }
  }
  const int64_t size = Size(script);
  std::erase_if(out, [&](Script& s) { return Size(s) >= size || !MakeWritesVisible(s); });
  std::stable_sort(out.begin(), out.end(),
                   [](const Script& a, const Script& b) { return Size(a) < Size(b); });
  return out;
}

}  // namespace dlpc
