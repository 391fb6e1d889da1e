// Runs scripts in a Python host, for the tests beside this folder.
#ifndef DLPC_HARNESS_HOSTS_PYTHON_TESTING_HOST_FIXTURE_H_
#define DLPC_HARNESS_HOSTS_PYTHON_TESTING_HOST_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/engine.h"
#include "harness/python_finder.h"

namespace dlpc {

inline const PythonHostFiles& HostFiles() {
  static const Expected<PythonHostFiles> files = FindPythonHost(ExecutableFolder());
  EXPECT_TRUE(files) << files.error().message;
  return *files;
}

/// The newest interpreter; every machine that builds the host has one.
inline const Interpreter& AnyInterpreter() {
  static const Expected<Interpreter> found = FindInterpreter({});
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

inline std::string SourceFile(const std::string& path) {
  return std::string(DLPC_SOURCE_ROOT) + "/" + path;
}

/// A host and the traces of what it ran.
class TestHost {
 public:
  explicit TestHost(HostCommand command) : engine_(std::move(command), {}) {}

  Expected<Claims> Start() { return engine_.Start(); }
  Engine& engine() { return engine_; }

  /// Observations of one script; fails the test when the host died.
  std::vector<Observation> Run(const Script& script) {
    const std::vector<Outcome> outcomes = engine_.Run({&script}, {});
    EXPECT_EQ(outcomes.at(0).kind, Outcome::Kind::kTrace) << outcomes[0].text << "\n"
                                                          << outcomes[0].stderr_tail;
    return outcomes[0].trace.steps;
  }

 private:
  Engine engine_;
};

/// The observation as a T; fails the test, telling what it is instead, and gives an empty one.
template <typename T>
T As(const Observation& observation) {
  const T* value = std::get_if<T>(&observation);
  EXPECT_NE(value, nullptr) << ObservationText(observation);
  return value == nullptr ? T{} : *value;
}

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_PYTHON_TESTING_HOST_FIXTURE_H_
