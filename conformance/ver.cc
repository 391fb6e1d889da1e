// VER: versioning. Source: array API, array.__dlpack__, max_version (lines 370-376, 420-458).
#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/families.h"

namespace dlpc {
namespace {

// The sweep by what is asked.
template <const char* const* kNames, int kCount>
bool Asked(const NamedScript& script) {
  return std::any_of(kNames, kNames + kCount, [&](const char* name) {
    return script.name == std::string("max-version/") + name;
  });
}
constexpr const char* kNone[] = {"absent", "none"};
constexpr const char* kSameMajor[] = {"1.0", "1.1", "1.2", "1.3", "1.99"};
constexpr const char* kOldMajor[] = {"0.0", "0.5", "0.8"};
constexpr const char* kNewMajor[] = {"2.0", "100.3"};
constexpr const char* kTwoDigits[] = {"1.10", "10.0"};
constexpr const char* kAsked[] = {"0.0", "0.5", "0.8", "1.0", "1.1", "1.2", "1.3", "1.10", "1.99"};

// VER-01
Verdict JudgeLegacyByDefault(const Evidence& e) {
  if (!Tried(e) || e.RefusedAsReadOnly()) {
    return NotApplicable("a legacy capsule", e.Text(Op::kExport));
  }
  return PassIf(KindOf(e.At(Op::kExport)) == Kind::kLegacy,
                "max_version None: a legacy capsule, for as long as possible", e.Text(Op::kExport));
}

// VER-02
Verdict JudgeNoneLegacyOrRefused(const Evidence& e) {
  const Wording expected = "max_version None: a legacy capsule or BufferError";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  return PassIf(
      raised != nullptr ? IsA(*raised, "BufferError") : KindOf(e.At(Op::kExport)) == Kind::kLegacy,
      expected, e.Text(Op::kExport));
}

// VER-03: the producer's highest is what it gives to (1, 99).
Verdict JudgeOwnHighest(const Evidence& e) {
  const Wording expected = "a versioned struct of the producer's own highest version";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (KindOf(e.At(Op::kExport, 1)) == Kind::kLegacy) {
    return NotApplicable(expected, "the producer has the legacy struct only (see ABI-12)");
  }
  if (KindOf(e.At(Op::kExport)) != Kind::kVersioned) return Fail(expected, e.Text(Op::kExport));
  const Inspected* seen = e.tensor(0);
  const Inspected* highest = e.tensor(1);
  if (seen == nullptr || highest == nullptr) {
    return NotApplicable(expected, e.WhyNoTensor(0) + e.WhyNoTensor(1));
  }
  const DLPackVersion v = VersionOf(*seen);
  const DLPackVersion top = VersionOf(*highest);
  return PassIf(
      v.major == top.major && v.minor == top.minor, expected,
      Say("version {}.{}; to (1, 99) it gives {}.{}", v.major, v.minor, top.major, top.minor));
}

// VER-04
Verdict JudgeOldMajor(const Evidence& e) {
  const Wording expected = "a consumer of major 0: a legacy capsule or BufferError";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  const Raised* raised = e.refusal();
  return PassIf(
      raised != nullptr ? IsA(*raised, "BufferError") : KindOf(e.At(Op::kExport)) == Kind::kLegacy,
      expected, e.Text(Op::kExport));
}

// VER-05
Verdict JudgeNewMajor(const Evidence& e) {
  const Wording expected = "a consumer of a newer major: the producer's own version, no error";
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(KindOf(e.At(Op::kExport)) != Kind::kOther, expected, e.Text(Op::kExport));
}

// VER-06
Verdict JudgeMinorHighEnough(const Evidence& e) {
  const Wording expected = "the declared version knows every code and rule that the struct uses";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "the legacy struct declares no version");
  if (auto violation = CheckStruct(FactsOf(*seen), "VER-06")) {
    return Fail(expected, violation->observed);
  }
  const DLPackVersion v = VersionOf(*seen);
  return Pass(expected,
              Say("version {}.{}, dtype code {}", v.major, v.minor, TensorOf(*seen).dtype.code));
}

// VER-07: two-digit versions must get what their neighbours get: (1, 99) for (1, 10), (2, 0) for
// (10, 0). A producer of legacy structs only gives the same to all.
Verdict JudgeOrder(const Evidence& e) {
  const bool newer_major = e.RequestOf().max_version.major > 1;
  const int neighbour = newer_major ? 2 : 1;
  const Wording expected =
      newer_major ? "(10, 0) is treated like (2, 0)" : "(1, 10) is treated like (1, 99)";
  const Kind wanted = KindOf(e.At(Op::kExport, neighbour));
  if (wanted == Kind::kOther) return NotApplicable(expected, e.Text(Op::kExport, neighbour));
  if (wanted == Kind::kLegacy && KindOf(e.At(Op::kExport)) == Kind::kLegacy) {
    return NotApplicable(expected, "the producer has the legacy struct only (see ABI-12)");
  }
  return PassIf(KindOf(e.At(Op::kExport)) == wanted, expected,
                Say("{}, the neighbour gets {}", e.Text(Op::kExport), KindName(wanted)));
}

// VER-08: refusals are judged by COPY and ERR rows.
Verdict JudgeKeywordsIndependent(const Evidence& e) {
  const Wording expected = "copy and dl_device do not change the kind of struct";
  const Kind alone = KindOf(e.At(Op::kExport, 0));
  const Kind crossed = KindOf(e.At(Op::kExport, 1));
  if (alone == Kind::kOther) return NotApplicable(expected, e.Text(Op::kExport, 0));
  if (crossed == Kind::kOther) return NotApplicable(expected, e.Text(Op::kExport, 1));
  return PassIf(alone == crossed, expected,
                Say("alone: {}, with {}: {}", KindName(alone), Say(RequestText, e.RequestOf(1)),
                    KindName(crossed)));
}

// VER-09
Verdict JudgeNeverNewer(const Evidence& e) {
  const Request& request = e.RequestOf();
  const Wording expected = Say("no struct of a major above {}", request.max_version.major);
  const Kind kind = KindOf(e.At(Op::kExport));
  if (kind == Kind::kOther) {
    if (e.refusal() == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
    return Pass(expected, e.Text(Op::kExport));
  }
  if (request.max_version.major == 0) {
    return PassIf(kind == Kind::kLegacy, expected, std::string(KindName(kind)));
  }
  if (kind == Kind::kLegacy) return Pass(expected, std::string(KindName(kind)));
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  return PassIf(VersionOf(*seen).major <= request.max_version.major, expected,
                Say("version {}.{}", VersionOf(*seen).major, VersionOf(*seen).minor));
}

constexpr Check kVerChecks[] = {
    {"VER-01", Versions, 0, 0, JudgeLegacyByDefault, Asked<kNone, 2>},
    {"VER-02", Versions, 0, 0, JudgeNoneLegacyOrRefused, Asked<kNone, 2>},
    {"VER-03", Versions, 0, 0, JudgeOwnHighest, Asked<kSameMajor, 5>},
    {"VER-04", Versions, 0, 0, JudgeOldMajor, Asked<kOldMajor, 3>},
    {"VER-05", Versions, 0, 0, JudgeNewMajor, Asked<kNewMajor, 2>},
    {"VER-06", Zoo, kTagVersioned, 0, JudgeMinorHighEnough},
    {"VER-07", Versions, 0, 0, JudgeOrder, Asked<kTwoDigits, 2>},
    {"VER-08", VersionCross, 0, 0, JudgeKeywordsIndependent},
    {"VER-09", Versions, 0, 0, JudgeNeverNewer, Asked<kAsked, 9>},
};

}  // namespace

std::span<const Check> VerChecks() { return kVerChecks; }

}  // namespace dlpc
