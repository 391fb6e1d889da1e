#include "conformance/cli_expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "conformance/catalogue.h"
#include "conformance/cli_files.h"
#include "conformance/complain.h"
#include "conformance/places.h"
#include "conformance/run.h"
#include "harness/report.h"

namespace dlpc {
namespace {

bool MatchesCatalogue(const Expectation& entry) {
  return std::any_of(Catalogue().begin(), Catalogue().end(), [&](const Case& c) {
    if (MatchesCase(entry, c.id, c.requirement->id)) return true;
    const auto places = EmulatedPlaces();
    return std::any_of(places.begin(), places.end(), [&](const EmulatedPlace& place) {
      return LivesAt(c.script->script, place) &&
             MatchesCase(entry, fmt::format("{}/{}", c.id, place.name), c.requirement->id);
    });
  });
}

// The entry's text without what does not tell two entries apart.
std::string Key(const Expectation& entry) {
  std::string key = entry.glob;
  for (const Condition& part : entry.conditions) key += " " + part.key + part.op + part.value;
  return key;
}

std::vector<std::string> Rot(const std::vector<Expectation>& entries, const std::string& today) {
  std::vector<std::string> rot;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Expectation& entry = entries[i];
    if (!MatchesCatalogue(entry)) {
      rot.push_back(
          fmt::format("{}: no case of the catalogue matches {}", entry.place, entry.glob));
    }
    if (!entry.expires.empty() && entry.expires <= today) {
      rot.push_back(fmt::format("{}: {} expired on {}", entry.place, entry.glob, entry.expires));
    }
    const auto earlier =
        std::find_if(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(i),
                     [&](const Expectation& other) { return Key(other) == Key(entry); });
    if (earlier != entries.begin() + static_cast<ptrdiff_t>(i)) {
      rot.push_back(
          fmt::format("{}: {} is in {} already", entry.place, entry.glob, earlier->place));
    }
  }
  return rot;
}

}  // namespace

int ExpectCheckVerb(const ExpectOptions& options) {
  const auto entries = ReadExpectations(options.check);
  if (!entries) return Complain(kUsage, entries.error().message);
  const std::vector<std::string> rot = Rot(*entries, Now().substr(0, 10));
  for (const std::string& line : rot) fmt::print("{}\n", line);
  if (!rot.empty()) return kUnexpected;
  fmt::print("{} entries, all in order\n", entries->size());
  return kAsExpected;
}

int ExpectUpdateVerb(const ExpectOptions& options) {
  const auto result = ReadResults(options.results);
  if (!result) return Complain(kUsage, result.error().message);
  std::vector<Expectation> earlier;
  std::error_code ignored;
  if (std::filesystem::exists(options.file, ignored)) {
    auto read = ReadExpectations({options.file});
    if (!read) return Complain(kUsage, read.error().message);
    earlier = std::move(*read);
  }
  const auto text = ExpectationsOf(*result, earlier);
  if (!text) return Complain(kUsage, text.error().message);
  if (Status written = WriteFileAtomically(options.file, *text); !written) {
    return Complain(kEngine, written.error().message);
  }
  fmt::print("{} entries: {}\n", std::count(text->begin(), text->end(), '\n') - 1, options.file);
  return kAsExpected;
}

}  // namespace dlpc
