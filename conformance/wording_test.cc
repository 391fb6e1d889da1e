#include "conformance/wording.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "conformance/variants.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

std::string Twice(const std::string& text) { return text + text; }

TEST(Wording, IsMadeWhereItIsWanted) {
  EXPECT_EQ(
      ("of " + Say("{} and {:#x}", List(std::array<int64_t, 2>{2, 3}), 255) + std::string("."))
          .text(),
      "of (2, 3) and 0xff.");
  EXPECT_EQ(Say(Twice, "ab").text(), "abab");
  const WithoutWords quiet;
  {
    const WithoutWords nested;
    EXPECT_EQ(("of " + Say("{} and {:#x}", List(std::array<int64_t, 2>{2, 3}), 255)).text(), "");
  }
  EXPECT_EQ(Wording("literal").text(), "");
  EXPECT_EQ(Say(Twice, "ab").text(), "");
}

std::vector<Verdict> Verdicts(const Template& t, const Outcome& outcome, const Claims& claims) {
  const ScriptJudge judge(*t.script, outcome, &claims);
  std::vector<Verdict> verdicts;
  for (const TemplateCheck* each : t.picked) {
    verdicts.push_back(judge({"", each->requirement, t.script, each->check.judge}));
  }
  return verdicts;
}

std::vector<Verdict> QuietVerdicts(const Template& t, const Outcome& outcome,
                                   const Claims& claims) {
  const WithoutWords quiet;
  return Verdicts(t, outcome, claims);
}

// A judge that looks at words, its own or another's, decides otherwise when there are none.
void ExpectSameWithoutWords(const Template& t, const Outcome& outcome, const Claims& claims) {
  const std::vector<Verdict> with = Verdicts(t, outcome, claims);
  const std::vector<Verdict> without = QuietVerdicts(t, outcome, claims);
  for (size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].status, without[i].status)
        << with[i].expected.text() << "; " << with[i].observed.text() << " (" << t.script->name
        << ")";
    // Whoever makes a text all the same pays for it in each run of a fuzzer.
    EXPECT_EQ(without[i].expected.text() + without[i].observed.text(), "") << t.script->name;
  }
}

Outcome Performed(Machine& machine, const Template& t) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace = machine.Run(t.script->script);
  return outcome;
}

TEST(Judges, DecideTheSameWithoutWords) {
  constexpr int kEvery = 4;  // Of the mutants; each takes a second under a sanitizer.
  int next = 0;
  for (const MutantRow& row : Mutants()) {
    if (row.breaks_memory || next++ % kEvery != 0) continue;
    const auto backend = MakeReferenceBackend(row.mutant);
    const Claims claims = backend->GetClaims();
    Machine machine(backend.get(), nullptr);
    for (const Template& t : Templates()) {
      if (t.share == Share::kSlow) continue;
      ExpectSameWithoutWords(t, Performed(machine, t), claims);
    }
  }
  EXPECT_GT(next, 150);
}

// The same where a step of a good trace went otherwise.
TEST(Judges, DecideTheSameWithoutWordsOnBrokenTraces) {
  const Observation kOthers[] = {NotPerformed{"tried nothing"},
                                 Raised{"BufferError", {"BufferError", "Exception"}, "no"},
                                 Raised{"TypeError", {"TypeError"}, "unexpected keyword argument"},
                                 AdapterFault{"ZeroDivisionError"}};
  const auto backend = MakeReferenceBackend(Mutant::kNone);
  const Claims claims = backend->GetClaims();
  Machine machine(backend.get(), nullptr);
  for (const Template& t : Templates()) {
    const Outcome good = Performed(machine, t);
    ExpectSameWithoutWords(t, good, claims);
    for (size_t i = 0; i < good.trace.steps.size(); ++i) {
      Outcome bent = good;
      bent.trace.steps[i] = kOthers[i % std::size(kOthers)];
      ExpectSameWithoutWords(t, bent, claims);
    }
  }
}

}  // namespace
}  // namespace dlpc
