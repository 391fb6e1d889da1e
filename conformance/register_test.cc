#include "conformance/register.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dlpc {
namespace {

/// An area with its rows, and the level of each of them in order: M(ust), S(hould), i(nfo). The
/// levels are repeated here on purpose: changing one is a decision, recorded in docs/levels.md.
struct Area {
  std::string_view prefix;
  std::span<const RequirementRow> (*rows)();
  std::string_view levels;
};

constexpr Area kAreas[] = {
    {"DEV", DevRows, "MMMiMMMMMSMMiiMiiS"},   {"PROTO", ProtoRows, "MiMiMiiMMMMMS"},
    {"CAP", CapRows, "MMMMMSSMiMMMM"},        {"ABI", AbiRows, "MMMMMSiiiMMSM"},
    {"DT", DtRows, "MMMMMMMMMMiMSMMM"},       {"SHAPE", ShapeRows, "MMMiiMMMSiSMMiiMMM"},
    {"MEM", MemRows, "MMMMMSMiMMMii"},        {"COPY", CopyRows, "MMMMMMMMMSSMiSMiMi"},
    {"STREAM", StreamRows, "MMMMMMMiMMMMiS"}, {"VER", VerRows, "SiSSSMMMMMS"},
    {"ERR", ErrRows, "SSMSiMMSMiSiS"},        {"XAPI", XapiRows, "iMMMMMMiMMMSMMMiMMiSMSM"},
};

/// Rows on which the sources contradict each other, with the number of the contradiction.
constexpr std::pair<std::string_view, std::string_view> kContested[] = {
    {"DEV-02", "C-6"},     {"DEV-03", "C-5"},   {"DEV-04", "C-6"},     {"DEV-06", "C-4"},
    {"DEV-07", "C-5"},     {"DEV-08", "C-5"},   {"DEV-10", "C-4"},     {"DEV-17", "C-3"},
    {"CAP-09", "C-20"},    {"ABI-09", "C-2"},   {"DT-09", "C-9"},      {"DT-10", "C-9"},
    {"SHAPE-03", "C-7"},   {"SHAPE-04", "C-7"}, {"SHAPE-11", "C-8"},   {"SHAPE-14", "C-2"},
    {"SHAPE-16", "C-9"},   {"MEM-01", "C-19"},  {"MEM-08", "C-20"},    {"COPY-05", "C-1"},
    {"COPY-06", "C-10"},   {"COPY-08", "C-19"}, {"COPY-09", "C-10"},   {"COPY-10", "C-11"},
    {"COPY-13", "C-12"},   {"COPY-15", "C-1"},  {"STREAM-01", "C-13"}, {"STREAM-02", "C-14"},
    {"STREAM-04", "C-14"}, {"VER-04", "C-18"},  {"VER-06", "C-7"},     {"VER-06", "C-17"},
    {"ERR-01", "C-15"},    {"ERR-03", "C-16"},  {"XAPI-01", "C-21"},   {"XAPI-03", "C-21"},
    {"XAPI-06", "C-21"},   {"XAPI-10", "C-22"}, {"XAPI-15", "C-22"},
};

// ABI-01 to ABI-04 on LP64: the header that the suite is built with has the layout that it demands.
static_assert(sizeof(void*) != 8 ||
              (sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 &&
               offsetof(DLTensor, ndim) == 16 && offsetof(DLTensor, dtype) == 20 &&
               offsetof(DLTensor, shape) == 24 && offsetof(DLTensor, strides) == 32 &&
               offsetof(DLTensor, byte_offset) == 40));
static_assert(sizeof(void*) != 8 ||
              (sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, manager_ctx) == 48 &&
               offsetof(DLManagedTensor, deleter) == 56));
static_assert(sizeof(void*) != 8 || (sizeof(DLManagedTensorVersioned) == 80 &&
                                     offsetof(DLManagedTensorVersioned, manager_ctx) == 8 &&
                                     offsetof(DLManagedTensorVersioned, deleter) == 16 &&
                                     offsetof(DLManagedTensorVersioned, flags) == 24 &&
                                     offsetof(DLManagedTensorVersioned, dl_tensor) == 32));
static_assert(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4 && offsetof(DLDataType, lanes) == 2);

char LevelLetter(Level level) {
  switch (level) {
    case Level::kMust:
      return 'M';
    case Level::kShould:
      return 'S';
    case Level::kInfo:
      return 'i';
  }
  return '?';
}

struct NamedText {
  const char* name;
  std::string_view text;
};

std::vector<NamedText> RequiredTexts(const RequirementRow& row) {
  return {{"title", row.title},
          {"citation", row.citation},
          {"since", row.since},
          {"checked", row.checked},
          {"remedy", row.remedy}};
}

TEST(RegisterTest, AreasAreCompleteAndInOrder) {
  size_t at = 0;
  for (const Area& area : kAreas) {
    ASSERT_EQ(area.rows().size(), area.levels.size()) << area.prefix;
    for (size_t i = 0; i < area.rows().size(); ++i, ++at) {
      EXPECT_EQ(area.rows()[i].id, fmt::format("{}-{:02}", area.prefix, i + 1));
      ASSERT_LT(at, Register().size());
      EXPECT_EQ(Register()[at].id, area.rows()[i].id);
    }
  }
  EXPECT_EQ(at, Register().size());
  EXPECT_EQ(Register().size(), 183u);
}

TEST(RegisterTest, LevelsAreTheDecidedOnes) {
  for (const Area& area : kAreas) {
    std::string levels;
    for (const RequirementRow& row : area.rows()) levels += LevelLetter(row.level);
    EXPECT_EQ(levels, area.levels) << area.prefix;
  }
}

TEST(RegisterTest, TextsAreFilledAndFitOneLine) {
  for (const RequirementRow& row : Register()) {
    for (const auto& [name, text] : RequiredTexts(row)) {
      EXPECT_FALSE(text.empty()) << row.id << " " << name;
    }
    auto texts = RequiredTexts(row);
    texts.push_back({"until", row.until});
    texts.push_back({"contested", row.contested});
    for (const auto& [name, text] : texts) {
      EXPECT_EQ(text.find_first_of("\r\n\t"), std::string_view::npos) << row.id << " " << name;
      EXPECT_EQ(text.find("  "), std::string_view::npos) << row.id << " " << name;
      if (text.empty()) continue;
      EXPECT_FALSE(std::isspace(static_cast<unsigned char>(text.front()))) << row.id << " " << name;
      EXPECT_FALSE(std::isspace(static_cast<unsigned char>(text.back()))) << row.id << " " << name;
    }
  }
}

TEST(RegisterTest, SentencesEndInAFullStop) {
  for (const RequirementRow& row : Register()) {
    EXPECT_EQ(row.title.back(), '.') << row.id;
    EXPECT_EQ(row.checked.back(), '.') << row.id;
    EXPECT_EQ(row.remedy.back(), '.') << row.id;
  }
}

// Every row says something of its own: a copied title or remedy is a slip of the hand.
TEST(RegisterTest, TextsDiffer) {
  std::set<std::string_view> titles, checks;
  for (const RequirementRow& row : Register()) {
    EXPECT_TRUE(titles.insert(row.title).second) << row.id << ": " << row.title;
    EXPECT_TRUE(checks.insert(row.checked).second) << row.id << ": " << row.checked;
  }
}

TEST(RegisterTest, CitationsNameASource) {
  for (const RequirementRow& row : Register()) {
    EXPECT_THAT(std::string(row.citation),
                testing::AnyOf(testing::HasSubstr("dlpack.h 1."), testing::HasSubstr("array API "),
                               testing::HasSubstr("Python specification"),
                               testing::HasSubstr("Not stated")))
        << row.id;
  }
}

// A rule that no source states never decides a verdict.
TEST(RegisterTest, UnstatedRulesAreInfo) {
  for (const RequirementRow& row : Register()) {
    if (row.citation.starts_with("Not stated")) {
      EXPECT_EQ(row.level, Level::kInfo) << row.id;
    }
  }
}

TEST(RegisterTest, ContestedRowsNameTheContradiction) {
  std::set<std::string_view> ids;
  for (const auto& [id, number] : kContested) {
    ids.insert(id);
    const RequirementRow* row = FindRequirement(id);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_NE(row->contested.find(std::string(number) + ": "), std::string_view::npos) << id;
    EXPECT_TRUE(row->contested.starts_with("C-")) << id;
    EXPECT_EQ(row->contested.back(), '.') << id;
  }
  for (const RequirementRow& row : Register()) {
    EXPECT_EQ(!row.contested.empty(), ids.contains(row.id)) << row.id;
  }
}

// Rules that ended: the permission of NULL strides, and what the specification no longer says.
TEST(RegisterTest, UntilIsGivenForRulesThatEnded) {
  std::vector<std::string_view> ended;
  for (const RequirementRow& row : Register()) {
    if (!row.until.empty()) ended.push_back(row.id);
  }
  EXPECT_THAT(ended, testing::ElementsAre("CAP-09", "SHAPE-04"));
}

// Texts send the reader to other rows; those must exist.
TEST(RegisterTest, MentionedRequirementsExist) {
  for (const RequirementRow& row : Register()) {
    for (const std::string_view text : {row.checked, row.remedy, row.contested, row.title}) {
      for (const Area& area : kAreas) {
        const std::string prefix = std::string(area.prefix) + "-";
        for (size_t at = text.find(prefix); at != std::string_view::npos;
             at = text.find(prefix, at + 1)) {
          const std::string_view id = text.substr(at, prefix.size() + 2);
          EXPECT_NE(FindRequirement(id), nullptr) << row.id << " mentions " << id;
          EXPECT_NE(id, row.id) << row.id << " refers to itself";
        }
      }
    }
  }
}

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// "| DEV-07, DEV-08 | must | why |" -> {"DEV-07, DEV-08", "must", "why"}; empty for other lines.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| ")) return cells;
  for (size_t at = 2, end; (end = line.find(" |", at)) != std::string::npos; at = end + 3) {
    cells.push_back(line.substr(at, end - at));
  }
  return cells;
}

std::string CountRow(std::string_view name, std::span<const RequirementRow> rows) {
  auto count = [rows](Level level) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.level == level; });
  };
  return fmt::format("| {} | {} | {} | {} |", name, count(Level::kMust), count(Level::kShould),
                     count(Level::kInfo));
}

// docs/levels.md explains the levels: what it says of a row is what the register says, and every
// row below must is explained.
TEST(RegisterTest, LevelsPageAgrees) {
  const std::vector<std::string> lines = Lines(DLPC_SOURCE_DIR "/docs/levels.md");
  ASSERT_FALSE(lines.empty());
  const std::string_view names[] = {"must", "should", "info"};
  std::set<std::string> explained;
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.size() != 3 || cells[0].find('-') == std::string::npos) continue;
    for (size_t at = 0; at < cells[0].size();) {
      const size_t end = std::min(cells[0].find(", ", at), cells[0].size());
      const std::string id = cells[0].substr(at, end - at);
      at = end + 2;
      const RequirementRow* row = FindRequirement(id);
      ASSERT_NE(row, nullptr) << line;
      EXPECT_EQ(cells[1], names[static_cast<size_t>(row->level)]) << line;
      EXPECT_TRUE(explained.insert(id).second) << id << " is explained twice";
    }
  }
  for (const RequirementRow& row : Register()) {
    if (row.level == Level::kMust && row.contested.empty()) continue;
    EXPECT_TRUE(explained.contains(std::string(row.id))) << row.id;
  }
  for (const Area& area : kAreas) {
    EXPECT_THAT(lines, testing::Contains(CountRow(area.prefix, area.rows())));
  }
  EXPECT_THAT(lines, testing::Contains(CountRow("all", Register())));
}

TEST(RegisterTest, FindsByExactIdOnly) {
  for (const RequirementRow& row : Register()) EXPECT_EQ(FindRequirement(row.id), &row);
  EXPECT_EQ(FindRequirement("SHAPE-6"), nullptr);
  EXPECT_EQ(FindRequirement("shape-06"), nullptr);
  EXPECT_EQ(FindRequirement("CONS-01"), nullptr);
  EXPECT_EQ(FindRequirement(""), nullptr);
}

}  // namespace
}  // namespace dlpc
