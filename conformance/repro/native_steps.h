// The steps of a script as lines of C++, for producers behind dlpc/producer.h.
#ifndef DLPC_CONFORMANCE_REPRO_NATIVE_STEPS_H_
#define DLPC_CONFORMANCE_REPRO_NATIVE_STEPS_H_

#include <map>
#include <set>
#include <string>

#include "conformance/repro/steps.h"

namespace dlpc {

/// A literal in C++ for a value in Python: "(2, 3)" -> "Ints{2, 3}".
std::string NativeText(const std::string& python);
std::string NativeString(std::string_view text);

class NativeWriter {
 public:
  NativeWriter(const Script& script, const Trace& trace) : script_(script), trace_(trace) {}
  ReproStep Write(size_t index);

 private:
  ReproStep Make(const Step& s);
  ReproStep Export(const Step& s, size_t index);
  ReproStep Look(const Step& s);
  ReproStep Many(const Step& s);
  ReproStep Release(const Step& s);
  std::string Count(const char* name);
  std::string Bytes(int slot, uint32_t n) const;

  const Script& script_;
  const Trace& trace_;
  std::map<std::string, int> counts_;
  std::map<int, std::string> exports_;  // Export slot -> its variable.
  std::set<int> made_, consumed_;       // Array slots with a variable; export slots.
  std::map<int, const ArraySpec*> of_;
};

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_NATIVE_STEPS_H_
