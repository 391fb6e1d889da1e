#include "conformance/kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include "harness/json.h"

namespace dlpc {
namespace {

std::vector<std::string> SplitIds(std::string_view ids) {
  std::vector<std::string> out;
  std::istringstream stream{std::string(ids)};
  for (std::string id; std::getline(stream, id, ',');) out.push_back(id);
  return out;
}

bool Contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

KillRow RunMutant(const MutantRow* mutant, const HostCommand& host,
                  const std::vector<const Case*>& cases) {
  KillRow row;
  row.mutant = mutant;
  if (mutant != nullptr) {
    row.must_fail = SplitIds(mutant->kills);
    row.may_fail = SplitIds(mutant->implied);
  }
  EngineOptions options;
  options.confirm = false;  // Mutants that die do so alone; no need to prove it each time.
  const Expected<RunResult> result = RunDirectly(host, options, cases);
  if (!result) {
    row.error = result.error().message;
    return row;
  }
  std::set<std::string> tried;
  for (const CaseResult& c : result->cases) {
    tried.insert(c.requirement);
    if (c.status == CaseStatus::kError) row.error = c.id + ": " + c.observed;
  }
  for (const RequirementResult& requirement : result->requirements) {
    if (IsBad(requirement.status)) row.failed.push_back(requirement.id);
  }
  for (const std::string& id : row.must_fail) {
    if (tried.count(id) != 0 && !Contains(row.failed, id)) row.survived.push_back(id);
  }
  for (const std::string& id : row.failed) {
    if (!Contains(row.must_fail, id) && !Contains(row.may_fail, id)) row.unexpected.push_back(id);
  }
  return row;
}

std::string MutantName(const KillRow& row) {
  return row.mutant == nullptr ? "(correct reference)" : std::string(row.mutant->name);
}

}  // namespace

bool KillMatrix::complete() const {
  return without_mutant.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const KillRow& row) { return row.ok(); });
}

KillMatrix ComputeKillMatrix(const std::function<HostCommand(std::string_view)>& host,
                             const std::vector<const Case*>& cases, int jobs) {
  std::vector<const MutantRow*> mutants = {nullptr};
  for (const MutantRow& row : Mutants()) mutants.push_back(&row);

  KillMatrix matrix;
  matrix.rows.resize(mutants.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < mutants.size(); i = next++) {
      const std::string_view name = mutants[i] == nullptr ? "" : mutants[i]->name;
      matrix.rows[i] = RunMutant(mutants[i], host(name), cases);
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < std::max(1, jobs); ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();

  std::set<std::string> killed;
  for (const KillRow& row : matrix.rows) {
    if (row.mutant == nullptr) continue;
    for (const std::string& id : row.must_fail) {
      if (Contains(row.failed, id)) killed.insert(id);
    }
  }
  for (const Case* c : cases) {
    const std::string id(c->requirement->id);
    if (killed.insert(id).second) matrix.without_mutant.push_back(id);
  }
  return matrix;
}

std::string KillMatrixText(const KillMatrix& matrix) {
  std::string text;
  for (const KillRow& row : matrix.rows) {
    text +=
        fmt::format("{:4} {:38} fails {}\n", row.ok() ? "ok" : "BAD", MutantName(row),
                    row.failed.empty() ? "nothing" : fmt::format("{}", fmt::join(row.failed, " ")));
    if (!row.survived.empty()) {
      text += fmt::format("     not caught by: {}\n", fmt::join(row.survived, " "));
    }
    if (!row.unexpected.empty()) {
      text += fmt::format("     unexpected: {}\n", fmt::join(row.unexpected, " "));
    }
    if (!row.error.empty()) text += fmt::format("     error: {}\n", row.error);
  }
  for (const std::string& id : matrix.without_mutant) {
    text += fmt::format("BAD  {} has cases that no mutant fails\n", id);
  }
  text += fmt::format("{} mutants, matrix {}\n", matrix.rows.size() - 1,
                      matrix.complete() ? "complete" : "INCOMPLETE");
  return text;
}

std::string KillMatrixJson(const KillMatrix& matrix) {
  OrderedJson json;
  json["complete"] = matrix.complete();
  json["requirements_without_mutant"] = matrix.without_mutant;
  json["mutants"] = OrderedJson::array();
  for (const KillRow& row : matrix.rows) {
    json["mutants"].push_back(
        {{"name", row.mutant == nullptr ? "" : row.mutant->name},
         {"fault", row.mutant == nullptr ? "" : row.mutant->fault},
         {"must_fail", row.must_fail},
         {"may_fail", row.may_fail},
         {"breaks_memory", row.mutant != nullptr && row.mutant->breaks_memory},
         {"failed", row.failed},
         {"survived", row.survived},
         {"unexpected", row.unexpected},
         {"error", row.error},
         {"ok", row.ok()}});
  }
  return DumpJson(json, 2) + "\n";
}

std::string KillMatrixMarkdown(const KillMatrix& matrix) {
  std::string text =
      "# Kill matrix\n\n"
      "Each mutant is the reference producer with one fault. It must fail the requirements in the "
      "third\ncolumn; those in the last fail as a consequence. No other fails, and the correct "
      "reference fails\nnone: `dlpack-conformance mutants` measures this, and a test holds it. "
      "This page is its output\n(`--markdown`).\n\n"
      "Those that break memory by intent are marked. The runs of all others and of the correct "
      "reference\nare clean under AddressSanitizer and UndefinedBehaviorSanitizer, which a test of "
      "the sanitized build\nholds.\n\n"
      "| mutant | fault | must fail | also fails | breaks memory |\n|---|---|---|---|---|\n";
  for (const KillRow& row : matrix.rows) {
    if (row.mutant == nullptr) continue;
    std::vector<std::string> also;
    for (const std::string& id : row.failed) {
      if (!Contains(row.must_fail, id)) also.push_back(id);
    }
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.mutant->name, row.mutant->fault,
                        fmt::join(row.must_fail, ", "), fmt::join(also, ", "),
                        row.mutant->breaks_memory ? "yes" : "");
  }
  return text;
}

}  // namespace dlpc
