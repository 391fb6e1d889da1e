#include "conformance/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <span>
#include <string>

#include "conformance/family_parts.h"
#include "conformance/fuzz_fold.h"
#include "harness/hosts/reference_backend.h"
#include "harness/machine.h"

namespace dlpc {
namespace {

using ::testing::IsEmpty;

Variant RandomVariant(std::mt19937_64& random) {
  std::array<uint64_t, 8> words{};
  for (uint64_t& word : words) word = random();
  return DecodeVariant({reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
}

// Requirements that are broken, each with the first message, in `count` random variants.
std::set<std::string> BrokenIn(Mutant mutant, int count, uint64_t* judged) {
  const auto backend = MakeReferenceBackend(mutant);
  const Claims claims = backend->GetClaims();
  std::mt19937_64 random(7);
  std::set<std::string> broken;
  for (int i = 0; i < count; ++i) {
    const Variant variant = RandomVariant(random);
    Outcome outcome;
    outcome.kind = Outcome::Kind::kTrace;
    outcome.trace = Machine(backend.get(), nullptr).Run(variant.script.script);
    for (const Judged& each : BrokenChecks(variant, outcome, &claims, *judged)) {
      broken.insert(std::string(each.requirement->id));
    }
  }
  return broken;
}

TEST(VariantsTest, NoBytesAreTheFirstScriptAsItIs) {
  const Variant variant = DecodeVariant({});
  const Template& first = *AllChoices().Of(ShareOf({})).front();
  EXPECT_EQ(variant.script.name, first.script->name);
  EXPECT_EQ(EncodeScript(variant.script.script), EncodeScript(first.script->script));
  EXPECT_EQ(variant.script.tags, first.script->tags);
  EXPECT_EQ(variant.checks.size(), VariantOf(first, first.script->script).checks.size());
}

TEST(VariantsTest, EveryScriptIsATemplateAsItIs) {
  ASSERT_GT(Templates().size(), 1000u);
  for (const Template& t : Templates()) {
    const Variant variant = VariantOf(t, t.script->script);
    EXPECT_EQ(variant.script.tags, t.script->tags) << t.script->name;
    EXPECT_EQ(FindTemplate(t.script->name), &t);
  }
}

TEST(VariantsTest, DearScriptsAreTriedSeldomAndSlowOnesMoreSo) {
  std::mt19937_64 random(11);
  std::map<Share, int> tried;
  constexpr int kTries = 64'000, kDear = kTries / 16, kSlow = kTries / 64;
  for (int i = 0; i < kTries; ++i) ++tried[RandomVariant(random).origin->share];
  EXPECT_NEAR(tried[Share::kDear], kDear, 0.1 * kDear);
  EXPECT_NEAR(tried[Share::kSlow], kSlow, 0.2 * kSlow);
  const int others = kTries - tried[Share::kDear] - tried[Share::kSlow];
  EXPECT_NEAR(tried[Share::kBrief], 0.625 * others, 0.05 * others);
  // Each share has a part of the catalogue, the brief ones most of it.
  EXPECT_GT(AllChoices().Of(Share::kBrief).size(), Templates().size() / 2);
  EXPECT_GT(AllChoices().Of(Share::kQuick).size(), 300u);
  EXPECT_GT(AllChoices().Of(Share::kDear).size(), 50u);
  EXPECT_GT(AllChoices().Of(Share::kSlow).size(), 50u);
}

TEST(VariantsTest, AreValidScripts) {
  std::mt19937_64 random(3);
  std::set<std::string> different;
  for (int i = 0; i < 3000; ++i) {
    const Variant variant = RandomVariant(random);
    const std::string bytes = EncodeScript(variant.script.script);
    const Script again =
        DecodeScript({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    EXPECT_EQ(EncodeScript(again), bytes) << variant.script.name;
    different.insert(bytes);
  }
  EXPECT_GT(different.size(), 2000u);
}

TEST(VariantsTest, TheCorrectReferenceBreaksNothing) {
  uint64_t judged = 0;
  EXPECT_THAT(BrokenIn(Mutant::kNone, 20'000, &judged), IsEmpty());
  EXPECT_GT(judged, 50'000u);
}

TEST(VariantsTest, FaultyTwinsAreFound) {
  for (const auto& [mutant, id] : {std::pair{Mutant::kStridesReversed, "SHAPE-06"},
                                   {Mutant::kNoneVersioned, "VER-02"},
                                   {Mutant::kCopyTrueIgnored, "COPY-03"},
                                   {Mutant::kUnsignedAsSigned, "DT-01"}}) {
    uint64_t judged = 0;
    EXPECT_EQ(BrokenIn(mutant, 5'000, &judged).count(id), 1u) << id;
  }
}

TEST(VariantsTest, SimplerScriptsEnd) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Variant variant = RandomVariant(random);
    Script script = variant.script.script;
    int rounds = 0;
    for (auto simpler = SimplerScripts(*variant.origin, script); !simpler.empty();
         simpler = SimplerScripts(*variant.origin, script)) {
      script = simpler.back();
      ASSERT_LT(++rounds, 500) << variant.script.name;
    }
  }
}

// Negotiation with other arguments is what the catalogue would make of them.
TEST(VariantsTest, NegotiationHasItsControl) {
  std::mt19937_64 random(13);
  int seen = 0, controls = 0;
  for (int i = 0; i < 5000; ++i) {
    const Variant variant = RandomVariant(random);
    if (!IsNegotiation(variant.script.name)) continue;
    Script script = variant.script.script;
    Script wanted = WithControl(RequestOf(variant.script), &Request::stream);
    wanted.specs = script.specs;
    EXPECT_EQ(EncodeScript(script), EncodeScript(wanted)) << variant.script.name;
    ++seen;
    controls += script.steps.size() == 3 ? 1 : 0;
  }
  EXPECT_GT(controls, 100);
  EXPECT_GT(seen - controls, 100);
}

// Of a variant that is used again nothing is left.
TEST(VariantsTest, MemoryIsUsedAgain) {
  std::mt19937_64 random(17);
  Variant again;
  for (int i = 0; i < 5000; ++i) {
    std::array<uint64_t, 8> words{};
    for (uint64_t& word : words) word = random();
    words[0] &= ~uint64_t{(i & 7u) << 16};  // The template as it is, too.
    const std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
    DecodeVariant(bytes, AllChoices(), Arrays::kKnown, again);
    const Variant fresh = VariantOf(*again.origin, again.script.script);
    EXPECT_EQ(again.script.name, fresh.script.name);
    EXPECT_EQ(again.script.tags, fresh.script.tags) << fresh.script.name;
    ASSERT_EQ(again.checks.size(), fresh.checks.size()) << fresh.script.name;
    for (size_t k = 0; k < fresh.checks.size(); ++k) {
      EXPECT_EQ(again.checks[k], fresh.checks[k]) << fresh.script.name;
    }
  }
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  return text;
}

// Lists fold while they are written as they would afterwards.
TEST(FoldedTextTest, ListsAreOneNumber) {
  constexpr std::string_view kPieces[] = {"#", ", ", ",", "(",    ")", "7",
                                          "-", " ",  "a", "0x1f", "x"};
  std::mt19937_64 random(1);
  std::set<std::string> different;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t left = random() % 12; left > 0; --left) {
      text += kPieces[random() % std::size(kPieces)];
    }
    static const std::regex number("-?\\b([0-9a-fx]*[0-9][0-9a-fx]*)\\b");
    const std::string numbers = std::regex_replace(text, number, "#");
    const std::string wanted =
        Replaced(Replaced(Replaced(numbers, "#, #", "#"), "(#,)", "(#)"), "()", "(#)");
    ASSERT_EQ(FoldedText(text), wanted) << text;
    different.insert(wanted);
  }
  EXPECT_GT(different.size(), 5'000u);
}

TEST(FoldedTextTest, KeepsWordsOnly) {
  EXPECT_EQ(FoldedText("element 3 is 0x3f80, expected -2"), "element # is #, expected #");
  EXPECT_EQ(FoldedText("shape (2, 3), strides ()"), FoldedText("shape (4,), strides (1, -2, 0)"));
  EXPECT_EQ(FoldedText("capsule \"dltensor\""), "capsule \"dltensor\"");
}

}  // namespace
}  // namespace dlpc
