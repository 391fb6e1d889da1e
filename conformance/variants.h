// Scripts of the catalogue with other arrays and other arguments than the enumerated ones, and the
// checks that still speak of them: what the fuzzer tries.
#ifndef DLPC_CONFORMANCE_VARIANTS_H_
#define DLPC_CONFORMANCE_VARIANTS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"

namespace dlpc {

/// A check and its requirement; the ones of a family lie together.
struct TemplateCheck {
  Check check = {};
  const RequirementRow* requirement = nullptr;
};
using CheckList = std::vector<const TemplateCheck*>;

/// How often a script is tried, by what a run of it costs a producer in Python: brief and quick
/// ones get about the same time, where the same number of inputs would go to the quick ones.
enum class Share : uint8_t {
  kBrief,  // At most four steps, half of what a quick one costs: 5 of 8 inputs of these two.
  kQuick,
  kDear,  // As much as several quick ones: 1 input in 16. Many steps, arrays that must be made
          // anew or put back, arrays made of arrays, objects of refusals, many device queries.
  kSlow,  // As much as hundreds: 1 input in 64. Loops, collections of garbage, threads; and what
          // needs a GPU, which most producers skip.
  kCount_,
};

/// A script of the catalogue, with all the checks that judge it.
struct Template {
  const NamedScript* script = nullptr;
  Share share = Share::kQuick;
  std::span<const TemplateCheck> checks;
  CheckList picked = {};          // Those that speak of the script as it is.
  bool negotiation = false;       // Its requests may be any.
  bool may_be_read_only = false;  // Whether read-only arrays are looked at.
  bool writes = false;            // Elements, by any means.
};

/// Those that a fuzzer may try: all but the ones that end their host.
const std::vector<Template>& Templates();
/// Not slow: for a fuzzer that leaves out loops and threads.
inline bool IsQuick(const Template& t) { return t.share != Share::kSlow; }
const Template* FindTemplate(std::string_view name);

/// Two builds with the same text make the same variants of the same bytes.
std::string VariantsVersion();

/// The scripts of the negotiation matrix: one call with any legal arguments, and its control.
inline bool IsNegotiation(std::string_view name) { return name.starts_with("negotiation/"); }

/// One variation.
struct Variant {
  const Template* origin = nullptr;
  NamedScript script;
  CheckList checks;
};

/// Chooses what the script writes so that every write can be seen: it differs from what is there
/// and from the other writes. False: the type has too few values for that.
bool MakeWritesVisible(Script& script);

/// Which layouts random arrays have: any, or one of a known few, so that a producer's arrays can be
/// made once and used again.
enum class Arrays : uint8_t { kAny, kKnown };

/// What variants are made of: scripts whose arrays a producer claims to make, and dtypes.
struct Choices {
  // By share.
  std::array<std::vector<const Template*>, static_cast<size_t>(Share::kCount_)> templates;
  std::vector<DLDataType> dtypes;

  const std::vector<const Template*>& Of(Share share) const {
    return templates[static_cast<size_t>(share)];
  }
};
const Choices& AllChoices();
/// Those that make sense for a producer; all of them where it claims nothing that can be read.
Choices ChoicesOf(const Claims& claims);

/// The share of an input follows from all its bytes: whatever a fuzzer that is guided by coverage
/// likes, of what it makes of that no more is dear than of anything else.
Share ShareOf(std::span<const uint8_t> bytes);

/// Total: any bytes are some variant. No bytes: the first script as it is.
Variant DecodeVariant(std::span<const uint8_t> bytes, const Choices& choices = AllChoices(),
                      Arrays arrays = Arrays::kAny);

/// The same into a variant that is used again, whose memory is there already.
void DecodeVariant(std::span<const uint8_t> bytes, const Choices& choices, Arrays arrays,
                   Variant& variant);

/// Whether nothing in the script can change an array or outlives one.
bool LeavesArrays(const Script& script);

/// The checks of the template that speak of `script`, which was made from it.
Variant VariantOf(const Template& origin, Script script);

/// What became of a check.
struct Judged {
  const RequirementRow* requirement = nullptr;
  Verdict verdict = {};
};

/// Judges a performed variant by all its checks; only those that are broken (fail, crash, timeout)
/// or in error are returned. `judged` grows by the number of checks, unless there was nothing to
/// judge.
std::vector<Judged> BrokenChecks(const Variant& variant, const Outcome& outcome,
                                 const Claims* claims, uint64_t& judged,
                                 KnownValues* known = nullptr);

/// Simpler scripts, simplest first, each of which may show the same. Empty when there are none.
std::vector<Script> SimplerScripts(const Template& origin, const Script& script);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_VARIANTS_H_
