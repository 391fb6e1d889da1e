#include "harness/report/page_data.h"

namespace dlpc {
namespace {

OrderedJson LevelJson(const char* name, const LevelSummary& s) {
  return {{"name", name},
          {"failed", s.requirements_failed},
          {"known", s.requirements_known},
          {"error", s.requirements_error},
          {"passed", s.requirements_passed},
          {"untested", s.requirements_untested}};
}

}  // namespace

OrderedJson LevelsData(const RunResult& result) {
  return OrderedJson::array({LevelJson("must", result.must), LevelJson("should", result.should),
                             LevelJson("info", result.info)});
}

OrderedJson RowData(const RequirementResult& r) {
  return {{"id", r.id},       {"area", AreaOf(r.id)},     {"level", LevelName(r.level)},
          {"title", r.title}, {"citation", r.citation},   {"since", r.since},
          {"until", r.until}, {"contested", r.contested}, {"remedy", r.remedy}};
}

}  // namespace dlpc
