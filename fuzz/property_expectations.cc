#include <string>
#include <string_view>

#include "fuzz/properties.h"
#include "harness/expectations.h"

namespace dlpc {
namespace {

CaseResult CaseOf(std::string id, Level level, CaseStatus status, std::string observed) {
  CaseResult c;
  c.requirement = id.substr(0, id.find('/'));
  c.id = std::move(id);
  c.level = level;
  c.status = status;
  c.observed = std::move(observed);
  return c;
}

// A run with something of every kind that an entry can be about.
RunResult SomeRun() {
  RunResult result;
  result.producer.producer = "jax";
  result.producer.version = "0.10.2";
  result.producer.interpreter = "CPython 3.12.1";
  result.environment["os"] = "Linux";
  result.cases = {
      CaseOf("SHAPE-06/zoo/float32/legacy", Level::kMust, CaseStatus::kFail, "element 3 is 0x00"),
      CaseOf("SHAPE-06/zoo/int8/legacy", Level::kMust, CaseStatus::kPass, "6 elements"),
      CaseOf("ERR-07/inexpressible/2", Level::kMust, CaseStatus::kCrash, "SIGSEGV in step 2"),
      CaseOf("VER-03/max-version/1.0", Level::kShould, CaseStatus::kTimeout, "no answer"),
      CaseOf("MEM-02/consumed/legacy", Level::kShould, CaseStatus::kError, "make() raised"),
      CaseOf("DT-10/packed/int4", Level::kInfo, CaseStatus::kNotSupported, "no such dtype")};
  return result;
}

// Entries hold what a file may say, and name the line they stand in.
Broken Sensible(const Expectation& entry) {
  if (entry.glob.empty()) return "an entry about nothing";
  const bool bad = IsBad(entry.status) || entry.status == CaseStatus::kError;
  if (!bad) return "an entry that expects " + std::string(StatusName(entry.status));
  if (!entry.place.starts_with("file:")) return "an entry without a place: " + entry.place;
  for (const Condition& condition : entry.conditions) {
    if (condition.key.empty() || condition.op.empty()) return "half a condition";
  }
  return std::nullopt;
}

Broken OrderIsOne(std::string_view text) {
  const std::string_view a = text.substr(0, text.size() / 2), b = text.substr(text.size() / 2);
  if (CompareVersions(a, a) != 0) return "a version differs from itself";
  return CompareVersions(a, b) == -CompareVersions(b, a) ? Broken()
                                                         : Broken("versions have no order");
}

}  // namespace

Broken PropertyExpectations(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() <= 64) {
    if (auto broken = OrderIsOne(text)) return broken;
  }
  const auto entries = ParseExpectations(text, "file");
  if (!entries) {
    const std::string& why = entries.error().message;
    const bool one_line = !why.empty() && why.find('\n') == why.npos;
    return one_line ? Broken() : Broken("an error that is not one line: " + why);
  }
  for (const Expectation& entry : *entries) {
    if (auto broken = Sensible(entry)) return broken;
  }
  RunResult first = SomeRun(), second = SomeRun();
  ApplyExpectations(*entries, "2026-11-30", first);
  ApplyExpectations(*entries, "2026-11-30", second);
  Summarize(first);
  if (first.stale_expectations != second.stale_expectations) return "what is stale differs";
  for (size_t i = 0; i < first.cases.size(); ++i) {
    if (first.cases[i].status != second.cases[i].status) return "statuses differ";
    if (first.cases[i].status == CaseStatus::kPass &&
        SomeRun().cases[i].status != CaseStatus::kPass)
      return "an expectation makes a case pass";
  }
  const auto written = ExpectationsOf(first, *entries);
  if (!written) return "a whole run has no expectations: " + written.error().message;
  const auto again = ParseExpectations(*written, "file");
  return again ? Broken() : Broken("what was written is not read: " + again.error().message);
}

}  // namespace dlpc
