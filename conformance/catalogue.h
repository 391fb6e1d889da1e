// The catalogue: which requirement is judged on which scripts. Enumerated and deterministic; the
// same for every producer.
#ifndef DLPC_CONFORMANCE_CATALOGUE_H_
#define DLPC_CONFORMANCE_CATALOGUE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/evidence.h"
#include "conformance/register.h"
#include "harness/engine.h"

namespace dlpc {

/// Properties of a script, so that a check picks the scripts it can say something about. A row that
/// does not apply is not instantiated.
enum Tag : uint32_t {
  kTagLegacy = 1 << 0,     // Exports by the legacy path.
  kTagVersioned = 1 << 1,  // Exports with max_version >= (1, 0).
  kTagNegative = 1 << 2,   // Some stride of an axis longer than 1 is negative.
  kTagBroadcast = 1 << 3,  // Some stride of an axis longer than 1 is 0.
  kTagUnitAxis = 1 << 4,   // Some axis has extent 1.
  kTagEmpty = 1 << 5,      // No elements.
  kTagScalar = 1 << 6,     // ndim 0.
  kTagOffset = 1 << 7,     // The first element is not the first of the base.
  kTagElements = 1 << 8,   // At least one element.
  kTagRank = 1 << 9,       // ndim > 0.
  kTagPlainCpu = 1 << 10,  // CPU memory.
  kTagReadOnly = 1 << 11,
  kTagCopyTrue = 1 << 12,
  kTagCopyFalse = 1 << 13,
  kTagCopyNone = 1 << 14,
  kTagCopyAbsent = 1 << 15,
  kTagOtherDevice = 1 << 16,  // dl_device names neither the array's device nor the CPU.
  kTagCpuRequest = 1 << 17,   // dl_device=(kDLCPU, 0).
  kTagOwnRequest = 1 << 18,
  kTagContiguous = 1 << 19,  // Row-major compact.
  kTagLocked = 1 << 20,      // The interpreter's lock is held throughout.
  kTagFault = 1 << 21,       // What the exchange table is given cannot be served.
  kTagNeedsCuda = 1 << 22,   // Skipped where arrays of CUDA memory cannot be made.
  kTagApart = 1 << 23,       // Slow by intent (loops, threads): not part of checks_per_s.
};

/// One script of a family.
struct NamedScript {
  std::string name;  // "zoo/float32/sliced/versioned"
  Script script;
  uint32_t tags = 0;
};

/// The arguments of the script's first export; none given if it has no export.
const Request& RequestOf(const NamedScript& script);

/// Whether the script's first array lies in memory of one of these kinds.
template <Memory... kKinds>
bool OfKind(const NamedScript& script) {
  return ((script.script.specs[0].memory == kKinds) || ...);
}

using Judge = Verdict (*)(const Evidence&);

/// One row of an area's table: judge `requirement` on those scripts of `family` that have all of
/// `with` and none of `without`.
struct Check {
  std::string_view requirement;
  const std::vector<NamedScript>& (*family)();
  uint32_t with;
  uint32_t without;
  Judge judge;
  /// Further condition on a script; nullptr: none.
  bool (*only)(const NamedScript&) = nullptr;

  bool Picks(const NamedScript& script) const {
    return (script.tags & with) == with && (script.tags & without) == 0 &&
           (only == nullptr || only(script));
  }
};

std::span<const Check> DevChecks();
std::span<const Check> DevLabelChecks();
std::span<const Check> PlaceChecks();  // ERR: refusals because of the place.
std::span<const Check> ProtoChecks();
std::span<const Check> CapChecks();
std::span<const Check> MemChecks();
std::span<const Check> AbiChecks();
std::span<const Check> ShapeChecks();
std::span<const Check> CopyChecks();
std::span<const Check> ImportChecks();  // COPY: what the library itself imports.
std::span<const Check> VerChecks();
std::span<const Check> DtChecks();
std::span<const Check> ErrChecks();
std::span<const Check> StreamChecks();
std::span<const Check> PathChecks();   // VER: both structs of one array.
std::span<const Check> TableChecks();  // XAPI: the table itself.
std::span<const Check> TableFromChecks();
std::span<const Check> TableCallChecks();

/// Every row of every area.
std::vector<const Check*> AllChecks();

/// One (requirement, script).
struct Case {
  std::string id;  // "SHAPE-06/zoo/float32/sliced/versioned"
  const RequirementRow* requirement;
  const NamedScript* script;
  Judge judge;
};

/// All cases, in register order.
const std::vector<Case>& Catalogue();

/// SHA-256 over every case id and script, in hex: two runs with the same hash tried the same
/// things.
const std::string& CatalogueHash();

/// Judges the cases of one performed script. Crashes, adapter faults and what is not supported are
/// handled before a judge is asked, and what concerns all cases is looked at once. Refers to its
/// arguments. `claims` are those of the host, if they are known.
class ScriptJudge {
 public:
  ScriptJudge(const NamedScript& script, const Outcome& outcome, const Claims* claims = nullptr,
              KnownValues* known = nullptr);
  /// `c` is one of the script's cases.
  Verdict operator()(const Case& c) const;

  /// The answer for every case, if there is such a one.
  const std::optional<Verdict>& ForAll() const { return unjudgeable_; }
  /// Whether each case is left to its own judge.
  bool AsksJudges() const {
    return outcome_.kind == Outcome::Kind::kTrace && !unjudgeable_ && !keyword_unknown_;
  }

 private:
  const Outcome& outcome_;
  const Evidence evidence_;
  std::optional<Verdict> unjudgeable_;      // For every case.
  std::optional<Verdict> keyword_unknown_;  // For those that do not judge signatures.
};

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CATALOGUE_H_
