#include "conformance/catalogue.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace dlpc {
namespace {

std::span<const Check> (*const kAreas[])() = {DevChecks, ProtoChecks, CapChecks,  AbiChecks,
                                              DtChecks,  ShapeChecks, CopyChecks, StreamChecks,
                                              VerChecks,   PlaceChecks, ErrChecks};

std::vector<Case> BuildCatalogue() {
  std::vector<Case> cases;
  for (const RequirementRow& row : Register()) {
    for (const auto& area : kAreas) {
      for (const Check& check : area()) {
        if (check.requirement != row.id) continue;
        for (const NamedScript& script : check.family()) {
          if (!check.Picks(script)) continue;
          cases.push_back({std::string(row.id) + "/" + script.name, &row, &script, check.judge});
        }
      }
    }
  }
  return cases;
}

std::string Sha256Hex(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

// Before a judge may look: did the script come to its end, and is the array what it should be?
std::optional<Verdict> Unjudgeable(const Evidence& e, const Outcome& outcome) {
  const std::string expected = "the script runs to its end";
  switch (outcome.kind) {
    case Outcome::Kind::kCrash:
      return Verdict{CaseStatus::kCrash, expected, outcome.text};
    case Outcome::Kind::kTimeout:
      return Verdict{CaseStatus::kTimeout, expected, outcome.text};
    case Outcome::Kind::kError:
      return Verdict{CaseStatus::kError, expected, outcome.text};
    case Outcome::Kind::kTrace:
      break;
  }
  for (const Op op : {Op::kMake, Op::kMakeRefusal}) {
    for (int nth = 0; nth < kArraySlots; ++nth) {
      if (const auto* fault = e.As<AdapterFault>(op, nth)) {
        return Verdict{CaseStatus::kError, "the adapter makes the array", fault->text};
      }
      if (const auto* unsupported = e.As<Unsupported>(op, nth)) {
        return Verdict{CaseStatus::kNotSupported, "the adapter makes the array",
                       unsupported->reason};
      }
    }
  }
  if (e.AdapterMadeOtherValues()) {
    return Verdict{CaseStatus::kError, "the adapter makes the array that the spec describes",
                   "its own read() gives other elements: " + e.Text(Op::kReadOwn)};
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Case>& Catalogue() {
  static const std::vector<Case> cases = BuildCatalogue();
  return cases;
}

const std::string& CatalogueHash() {
  static const std::string hash = [] {
    std::string all;
    for (const Case& c : Catalogue()) {
      all += c.id;
      all += '\0';
      all += LevelName(c.requirement->level);
      all += '\0';
      all += EncodeScript(c.script->script);
    }
    return Sha256Hex(all);
  }();
  return hash;
}

Verdict JudgeCase(const Case& c, const Outcome& outcome, const Claims* claims) {
  const Evidence evidence(c.script->script, outcome.trace, claims);
  if (auto verdict = Unjudgeable(evidence, outcome)) return *verdict;
  return c.judge(evidence);
}

}  // namespace dlpc
