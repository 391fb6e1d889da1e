#include "reference/negotiation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/producer.h"
#include "reference/testing/objection.h"

namespace dlpc {
namespace {

using ::testing::HasSubstr;

template <typename T>
struct Option {
  Arg arg;
  T value;
};

const Option<DLPackVersion> kVersions[] = {
    {Arg::kAbsent, {}},     {Arg::kNone, {}},      {Arg::kValue, {0, 0}},   {Arg::kValue, {0, 8}},
    {Arg::kValue, {1, 0}},  {Arg::kValue, {1, 1}}, {Arg::kValue, {1, 3}},   {Arg::kValue, {1, 10}},
    {Arg::kValue, {1, 99}}, {Arg::kValue, {2, 0}}, {Arg::kValue, {100, 3}}, {Arg::kOwn, {}},
    {Arg::kOdd, {}}};
const Option<bool> kCopies[] = {{Arg::kAbsent, {}},
                                {Arg::kNone, {}},
                                {Arg::kValue, true},
                                {Arg::kValue, false},
                                {Arg::kOdd, {}}};
const Option<std::pair<int32_t, int32_t>> kDevices[] = {
    {Arg::kAbsent, {}},     {Arg::kNone, {}},       {Arg::kOwn, {}},        {Arg::kOdd, {}},
    {Arg::kValue, {1, 0}},  {Arg::kValue, {1, 1}},  {Arg::kValue, {2, 0}},  {Arg::kValue, {2, 1}},
    {Arg::kValue, {3, 0}},  {Arg::kValue, {13, 0}}, {Arg::kValue, {10, 1}}, {Arg::kValue, {11, 0}},
    {Arg::kValue, {14, 1}}, {Arg::kValue, {12, 1}}, {Arg::kValue, {99, 0}}, {Arg::kValue, {2, -1}},
    {Arg::kValue, {-1, 0}}};
const Option<int64_t> kStreams[] = {{Arg::kAbsent, {}}, {Arg::kNone, {}},     {Arg::kValue, -1},
                                    {Arg::kValue, 0},   {Arg::kValue, 1},     {Arg::kValue, 2},
                                    {Arg::kValue, -2},  {Arg::kValue, 12345}, {Arg::kOdd, {}}};

// Calls visit(request) for versions x copy x device x stream, with odd values and extra arguments
// taking turns, until it answers false.
void ForEachRequest(const std::function<bool(const Request&)>& visit) {
  unsigned turn = 0;
  Request r;
  for (const auto& version : kVersions) {
    r.version = version.arg;
    r.max_version = version.value;
    for (const auto& copy : kCopies) {
      r.copy = copy.arg;
      r.copy_value = copy.value;
      for (const auto& device : kDevices) {
        r.device = device.arg;
        r.dl_device = {static_cast<DLDeviceType>(device.value.first), device.value.second};
        for (const auto& stream : kStreams) {
          r.stream = stream.arg;
          r.stream_value = stream.value;
          ++turn;
          r.odd = static_cast<Odd>(turn % static_cast<unsigned>(Odd::kCount_));
          r.extra = Extra::kNone;
          if (!visit(r)) return;
          r.extra = turn % 2 == 0 ? Extra::kUnknownKeyword : Extra::kPositional;
          if (turn % 7 == 0 && !visit(r)) return;
        }
      }
    }
  }
}

ArraySpec Spec(Memory memory, uint8_t flags) {
  ArraySpec spec;
  spec.layout = Contiguous({4});
  spec.memory = memory;
  spec.flags = flags;
  return spec;
}

std::optional<std::string> FirstObjection(Mutant mutant) {
  RefProducer producer(mutant);
  std::optional<std::string> objection;
  for (int memory = 0; memory < static_cast<int>(Memory::kTpu); ++memory) {
    for (const uint8_t flags : {uint8_t{0}, uint8_t{kReadOnly}}) {
      RefArrayPtr array = producer.Make(Spec(static_cast<Memory>(memory), flags));
      ForEachRequest([&](const Request& request) {
        objection = NegotiationObjection(producer, array, request);
        return !objection;
      });
      if (objection) return objection;
    }
  }
  return std::nullopt;
}

TEST(NegotiationTest, TheCorrectProducerIsAllowedEverything) {
  const auto objection = FirstObjection(Mutant::kNone);
  EXPECT_FALSE(objection) << *objection;
}

class NegotiationMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(NegotiationMutant, IsForbiddenSomething) { EXPECT_TRUE(FirstObjection(GetParam())); }

INSTANTIATE_TEST_SUITE_P(
    All, NegotiationMutant,
    ::testing::Values(Mutant::kDlDeviceIgnored, Mutant::kCpuIdOrdinal, Mutant::kPinnedAsCpu,
                      Mutant::kStructDeviceDiffers, Mutant::kLegacyOnly, Mutant::kCopiesByDefault,
                      Mutant::kCopyNoneCopies, Mutant::kCopyTrueIgnored, Mutant::kCopyFalseCopies,
                      Mutant::kCopyFalseOtherDeviceCopies, Mutant::kLegacyCopyIgnored,
                      Mutant::kCopyOfReadOnlySkipped, Mutant::kReadOnlyLegacySilent,
                      Mutant::kCpuRequestRefused, Mutant::kCpuRequestCopyFalseValueError,
                      Mutant::kOtherDeviceTypeError, Mutant::kNoneRefused, Mutant::kNoneVersioned,
                      Mutant::kOlderMinorLegacy, Mutant::kOldMajorValueError,
                      Mutant::kNewerMajorRefused, Mutant::kVersionsComparedAsText,
                      Mutant::kCopyForcesLegacy, Mutant::kOldMajorVersioned),
    [](const auto& test) {
      std::string name;
      for (const MutantRow& row : Mutants()) {
        if (row.mutant == test.param) name = row.name;
      }
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
      return name;
    });

TEST(NegotiationTest, IsTotal) {
  for (int32_t type = -1; type <= 22; ++type) {
    ExportFacts facts;
    facts.device = {static_cast<DLDeviceType>(type), type};
    facts.has_streams = type % 3 == 0;
    facts.read_only = type % 2 == 0;
    ForEachRequest([&](const Request& request) {
      const Negotiated n = Negotiate(facts, request);
      EXPECT_NE(n.allowed, 0u);
      EXPECT_NE(n.rule, "");
      // What is recommended is allowed.
      EXPECT_EQ(n.recommended & ~n.allowed & (kLegacyCapsule | kVersionedCapsule), 0u);
      return !::testing::Test::HasFailure();
    });
  }
}

TEST(NegotiationTest, Texts) {
  Request request = WithVersion(1, 3);
  request.copy = Arg::kValue;
  Negotiated n = Negotiate({}, WithVersion(0, 8));
  EXPECT_EQ(NegotiatedText(n), "a legacy capsule that shares memory, or BufferError");
  n = Negotiate({}, request);
  EXPECT_EQ(NegotiatedText(n), "a capsule that shares memory");
  EXPECT_EQ(n.recommended, kVersionedCapsule);
  EXPECT_THAT(n.rule, HasSubstr("COPY-04"));
  request.extra = Extra::kPositional;
  n = Negotiate({}, request);
  EXPECT_EQ(NegotiatedText(n), "TypeError");
  EXPECT_EQ(n.rule, "PROTO-02");
}

}  // namespace
}  // namespace dlpc
