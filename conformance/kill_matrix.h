// How we know the suite is right: each mutant of the reference producer must fail exactly the
// requirements that its row names.
#ifndef DLPC_CONFORMANCE_KILL_MATRIX_H_
#define DLPC_CONFORMANCE_KILL_MATRIX_H_

#include <string>
#include <vector>

#include "conformance/run.h"
#include "reference/mutants.h"

namespace dlpc {

/// One mutant's line of the matrix.
struct KillRow {
  const MutantRow* mutant = nullptr;  // nullptr: the correct reference.
  std::vector<std::string> must_fail;
  std::vector<std::string> may_fail;
  std::vector<std::string> failed;      // What really failed.
  std::vector<std::string> survived;    // Of must_fail: did not fail.
  std::vector<std::string> unexpected;  // Failed, but neither must nor may.
  std::string error;                    // The run itself broke.
  bool ok() const { return error.empty() && survived.empty() && unexpected.empty(); }
};

struct KillMatrix {
  std::vector<KillRow> rows;                // The correct reference first.
  std::vector<std::string> without_mutant;  // Requirements with cases that no mutant fails.
  bool complete() const;
};

/// Runs the whole catalogue against each mutant, `jobs` at a time. `host` gives the command that
/// starts the reference host with a mutant ("" for the correct one).
KillMatrix ComputeKillMatrix(const std::function<HostCommand(std::string_view mutant)>& host,
                             const std::vector<const Case*>& cases, int jobs);

std::string KillMatrixText(const KillMatrix& matrix);
std::string KillMatrixJson(const KillMatrix& matrix);
std::string KillMatrixMarkdown(const KillMatrix& matrix);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_KILL_MATRIX_H_
