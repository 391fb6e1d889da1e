// The steps of a script as lines of Python.
#ifndef DLPC_CONFORMANCE_REPRO_STEPS_H_
#define DLPC_CONFORMANCE_REPRO_STEPS_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/repro/arrays.h"
#include "harness/trace.h"

namespace dlpc {

/// One step: its lines, and the variables that a check may name.
struct ReproStep {
  std::vector<std::string> lines = {};
  std::vector<std::string> names = {};
  bool observes = false;                  // Changes nothing: may be left out.
  bool possible = true;                   // False: Python has no way to do it.
  std::vector<std::string> unasked = {};  // Instead of the lines if nobody asks for a name.
  std::string call = {};  // An export: what gives the capsule; then there are no lines.
  bool raised = false;    // It did, when the case ran.
};

/// Turns steps into lines, one after the other.
class StepWriter {
 public:
  StepWriter(const Script& script, const Trace& trace, ArrayRecipe* recipe)
      : script_(script), trace_(trace), recipe_(recipe) {}
  ReproStep Write(size_t index);

 private:
  ReproStep Array(const Step& s, size_t index);
  ReproStep Export(const Step& s, size_t index);
  ReproStep Look(const Step& s, size_t index);
  ReproStep Release(const Step& s);
  ReproStep Many(const Step& s, size_t index);
  ReproStep Derive(const Step& s);
  ReproStep Table(const Step& s);
  std::string Count(const char* name);
  std::string Call(const Step& s) const;
  std::string Tensor(const Step& s, ReproStep& step);
  bool Failed(size_t index) const;
  std::string Kind(const Step& s) const;

  const Script& script_;
  const Trace& trace_;
  ArrayRecipe* recipe_;
  std::map<std::string, int> counts_;
  std::map<int, std::string> slots_;    // Export slot -> the variable in it.
  std::string object_;                  // What the adapter calls the object of MakeRefusal.
  std::map<int, const ArraySpec*> of_;  // Array slot -> what it was made of.
};

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_STEPS_H_
