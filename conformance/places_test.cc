#include "conformance/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/lanes.h"

namespace dlpc {
namespace {

using testing::HasSubstr;

std::set<std::string_view> RequirementsAt(const EmulatedPlace& place) {
  std::set<std::string_view> ids;
  for (const Case& c : Catalogue()) {
    if (LivesAt(c.script->script, place)) ids.insert(c.requirement->id);
  }
  return ids;
}

TEST(Places, QueryAndStructAreJudgedEverywhere) {
  for (const EmulatedPlace& place : EmulatedPlaces()) {
    const auto ids = RequirementsAt(place);
    for (const char* id : {"DEV-01", "DEV-02", "DEV-03", "DEV-05", "DEV-10", "DEV-12"}) {
      EXPECT_EQ(ids.count(id), 1u) << id << " at " << place.name;
    }
    if (place.flags != 0 || place.place == Place::kReplicated) continue;
    for (const char* id : {"DEV-11", "COPY-01", "COPY-03", "COPY-12", "COPY-14", "CAP-04"}) {
      EXPECT_EQ(ids.count(id), 1u) << id << " at " << place.name;
    }
  }
}

TEST(Places, NoScriptBelongsToTwo) {
  for (const Case& c : Catalogue()) {
    int places = 0;
    for (const EmulatedPlace& place : EmulatedPlaces()) places += LivesAt(c.script->script, place);
    EXPECT_LE(places, 1) << c.id;
  }
}

TEST(Places, ScriptsWithoutAnArrayLiveNowhere) {
  EXPECT_FALSE(LivesAt(Script{}, EmulatedPlaces().front()));
}

TEST(ParseEmulate, NamesAndAll) {
  const auto all = ParseEmulate({"all"}, "jax");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), EmulatedPlaces().size());
  const auto two = ParseEmulate({"jax:tpu-pinned", "cuda-device", "tpu-pinned"}, "jax");
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ(two->front()->memory, Memory::kTpuPinned);
  EXPECT_TRUE(ParseEmulate({}, "numpy")->empty());
}

TEST(ParseEmulate, SaysWhatIsWrong) {
  const auto unknown = ParseEmulate({"tpu"}, "jax");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("'tpu' (there are: all, tpu-device, tpu-pinned"));
  EXPECT_FALSE(ParseEmulate({"all"}, "numpy"));
}

}  // namespace
}  // namespace dlpc
