// The parts of helpers.py, by the name that each defines.
#ifndef DLPC_CONFORMANCE_REPRO_HELPERS_H_
#define DLPC_CONFORMANCE_REPRO_HELPERS_H_

#include <set>
#include <string>
#include <string_view>

namespace dlpc {

/// What kind of program it is.
struct ReproFlags {
  bool held = false;     // Exports are objects of class Export; else capsules.
  bool attempt = false;  // Some export may be missing.
  bool guarded = false;  // Some address may be unreadable.
  bool packed = false;   // Elements may be smaller than bytes.
  bool bare = false;     // Exports are printed.
};

/// Can it be in a name?
bool IsWord(char c);
/// Is the word there, not as a part of another?
bool Mentions(std::string_view text, std::string_view word);
/// Is the name called, subclassed or a list that is used? What is a member of something is not.
bool Uses(std::string_view text, std::string_view name);

/// The helpers that the text uses and those that these use, each after an empty line.
std::string HelpersFor(const std::string& text, const ReproFlags& flags);
/// The same of those in C++.
std::string NativeHelpersFor(const std::string& text, const ReproFlags& flags);

extern const char kReproHelpersFile[];   // helpers.py and the like, whole.
extern const char kNativeHelpersFile[];  // native_helpers.txt

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_HELPERS_H_
