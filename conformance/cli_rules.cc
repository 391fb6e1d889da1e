#include "conformance/cli_rules.h"

#include <cstdio>

#include "conformance/complain.h"
#include "conformance/explain.h"
#include "conformance/kill_matrix.h"
#include "conformance/producers.h"

namespace dlpc {
namespace {

int Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kAsExpected;
}

}  // namespace

int ListVerb(bool json) { return Print(json ? ListJson() : ListText()); }

int DoctorVerb() { return Print(DoctorText()); }

int ExplainVerb(const std::string& id) {
  const auto text = Explain(id);
  return text ? Print(*text) : Complain(kUsage, text.error().message);
}

int MutantsVerb(const MutantsOptions& options) {
  const auto cases = Select({options.globs, Level::kInfo});
  if (!cases) return Complain(kUsage, cases.error().message);
  const KillMatrix matrix = ComputeKillMatrix(MutantHost, *cases, options.jobs);
  Print(options.json       ? KillMatrixJson(matrix)
        : options.markdown ? KillMatrixMarkdown(matrix)
                           : KillMatrixText(matrix));
  return matrix.complete() ? kAsExpected : kUnexpected;
}

}  // namespace dlpc
