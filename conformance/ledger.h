// What many exports left behind.
#ifndef DLPC_CONFORMANCE_LEDGER_H_
#define DLPC_CONFORMANCE_LEDGER_H_

#include <optional>
#include <string>

#include "conformance/evidence.h"

namespace dlpc {

/// References to the array, bytes of the heap, objects of the interpreter, as far as each can be
/// counted. The script has made the loop once before, shorter, which filled caches: only what grows
/// with the number of exports is a leak. How noise is kept out: docs/lifetime.md.
struct Leftovers {
  bool known = false;
  bool leaks = false;
  Wording text;
};

/// Of `many`, whose step stands between the first and the second count of references.
Leftovers LeftBehind(const Evidence& e, const Many& many);

/// Passes if the first and the second read of export 0 gave the same elements.
Verdict ElementsKept(const Evidence& e, const Wording& expected);

/// Why the elements of the first read say nothing about what became of them later: they are not
/// those of the array to begin with. nullopt if they are, or if that is not known.
std::optional<Wording> WrongFromTheStart(const Evidence& e);

/// "element 3 is ..., expected ..." for two reads of the array's elements.
Wording ChangeText(const Evidence& e, const Elements& now, const Elements& before);

/// The change of the reference count between two steps that count it (nth of the script), if both
/// could.
std::optional<int64_t> ReferenceChange(const Evidence& e, int from, int to);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_LEDGER_H_
