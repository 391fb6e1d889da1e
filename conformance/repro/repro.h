// The programs of a run: one for each kind of failure.
#ifndef DLPC_CONFORMANCE_REPRO_REPRO_H_
#define DLPC_CONFORMANCE_REPRO_REPRO_H_

#include <string>
#include <vector>

#include "harness/results.h"

namespace dlpc {

/// A file of the report folder.
struct ReproFile {
  std::string path;  // "repro/SHAPE-11.zoo.float32.empty-1d.versioned.py"
  std::string text;
};

/// What a program's file ends in: ".py", or ".cc" where the producer is a plug-in.
const char* ReproSuffix(const Claims& claims);

/// Writes a program for one case of each kind of failure and sets `repro` of all cases of that
/// kind. Cases whose failure no program can show are left alone.
std::vector<ReproFile> MakeRepros(const std::vector<ScriptRecord>& scripts, RunResult& result);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_REPRO_H_
