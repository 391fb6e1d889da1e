// Writes the expectation file of a run.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "harness/expectations.h"

namespace dlpc {
namespace {

std::string Quoted(const std::string& value) {
  std::ostringstream out;
  out << std::quoted(value);
  return out.str();
}

// What all messages of the group begin with, up to what changes from run to run.
std::string CommonMessage(const std::vector<const CaseResult*>& cases) {
  std::string prefix = cases.front()->observed;
  for (const CaseResult* c : cases) {
    const auto [end, other] =
        std::mismatch(prefix.begin(), prefix.end(), c->observed.begin(), c->observed.end());
    prefix.erase(end, prefix.end());
  }
  prefix = prefix.substr(0, prefix.find("0x"));  // Addresses.
  prefix = prefix.substr(0, prefix.find('\n'));
  constexpr size_t kEnough = 100;  // What follows is often a place in a source file.
  if (prefix.size() > kEnough) prefix.erase(std::min(prefix.rfind(' ', kEnough), kEnough));
  while (!prefix.empty() && (static_cast<unsigned char>(prefix.back()) & 0xC0) == 0x80) {
    prefix.pop_back();  // Inside a UTF-8 sequence, perhaps.
  }
  if (!prefix.empty() && static_cast<unsigned char>(prefix.back()) >= 0xC0) prefix.pop_back();
  constexpr size_t kTelling = 12;  // Shorter ones tell nothing.
  return prefix.size() < kTelling ? "" : prefix;
}

// What the case did, whatever a file expected of it.
CaseStatus TrueStatus(const CaseResult& c, const std::vector<Expectation>& earlier) {
  if (c.status == CaseStatus::kXPass) return CaseStatus::kPass;
  if (c.status != CaseStatus::kXFail) return c.status;
  const auto entry = std::find_if(earlier.begin(), earlier.end(), [&](const Expectation& e) {
    return MatchesCase(e, c.id, c.requirement);
  });
  return entry == earlier.end() ? CaseStatus::kFail : entry->status;
}

using Cases = std::vector<const CaseResult*>;

// What tells one kind of message from another: the text before numbers and quoted words.
std::string MessageKind(const CaseResult& c) {
  constexpr size_t kLongest = 40;
  return c.observed.substr(0, std::min(c.observed.find_first_of("0123456789\"'"), kLongest));
}

// Every way to put stars in place of parts of an id, but for the requirement: "ID/a/*", "ID/*/b".
void AddGlobs(const std::string& id, std::set<std::string>& globs) {
  constexpr size_t kMostParts = 8;
  std::vector<std::string> parts;
  for (size_t begin = 0; begin != std::string::npos;) {
    const size_t end = id.find('/', begin);
    parts.push_back(id.substr(begin, end - begin));
    begin = end == std::string::npos ? end : end + 1;
  }
  if (parts.size() > kMostParts + 1) return;
  for (unsigned mask = 0; mask < 1u << (parts.size() - 1); ++mask) {
    std::string glob = parts[0];
    bool star = false;
    for (size_t i = 1; i < parts.size(); ++i) {
      const bool now = (mask >> (i - 1) & 1) != 0;
      if (!now || !star) glob += now ? "/*" : "/" + parts[i];
      star = now;
    }
    globs.insert(glob);
  }
}

// Of the globs that match no other case the one that matches most; the plainest of these.
std::string BestGlob(const std::set<std::string>& globs, const Cases& wanted, const Cases& others) {
  const auto count = [](const std::string& glob, const Cases& cases) {
    return std::count_if(cases.begin(), cases.end(), [&](const CaseResult* c) {
      return fnmatch(glob.c_str(), c->id.c_str(), 0) == 0;
    });
  };
  std::string best;
  std::tuple<int64_t, int64_t, int64_t> best_score;
  for (const std::string& glob : globs) {
    const auto covered = static_cast<int64_t>(count(glob, wanted));
    if (covered < 2 || count(glob, others) > 0) continue;
    const std::tuple score{covered, -std::count(glob.begin(), glob.end(), '*'),
                           -static_cast<int64_t>(glob.size())};
    if (best.empty() || score > best_score) best = glob, best_score = score;
  }
  return best;
}

class Writer {
 public:
  Writer(const std::vector<Expectation>& earlier, std::string condition)
      : earlier_(earlier), condition_(std::move(condition)) {}

  // The executed cases of one requirement: one line if all failed alike, else few globs for each
  // kind of failure that match nothing else.
  void Write(const std::string& requirement, const Cases& cases) {
    std::map<std::pair<CaseStatus, std::string>, Cases> kinds;
    std::set<CaseStatus> statuses;
    for (const CaseResult* c : cases) {
      const CaseStatus status = TrueStatus(*c, earlier_);
      statuses.insert(status);
      if (status != CaseStatus::kPass) kinds[{status, MessageKind(*c)}].push_back(c);
    }
    if (kinds.empty()) return;
    if (statuses.size() == 1) {
      const std::string glob = cases.size() == 1 ? cases[0]->id : requirement + "/*";
      return Line(glob, *statuses.begin(), cases);
    }
    for (auto& [kind, members] : kinds) Cover(kind.first, members, cases);
  }

  std::string text;

 private:
  void Cover(CaseStatus status, Cases wanted, const Cases& all) {
    Cases others;
    std::set_difference(all.begin(), all.end(), wanted.begin(), wanted.end(),
                        std::back_inserter(others));
    std::set<std::string> globs;
    for (const CaseResult* c : wanted) AddGlobs(c->id, globs);
    while (!wanted.empty()) {
      std::string glob = BestGlob(globs, wanted, others);
      if (glob.empty()) glob = wanted.front()->id;
      const auto rest =
          std::stable_partition(wanted.begin(), wanted.end(), [&](const CaseResult* c) {
            return c->id == glob || fnmatch(glob.c_str(), c->id.c_str(), 0) == 0;
          });
      Line(glob, status, {wanted.begin(), rest});
      wanted.erase(wanted.begin(), rest);
    }
  }

  void Line(const std::string& glob, CaseStatus status,
            const std::vector<const CaseResult*>& cases) {
    text += fmt::format("{} {}{}", glob, StatusName(status), condition_);
    const std::string message = CommonMessage(cases);
    if (!message.empty()) text += " message=" + Quoted(message);
    for (const Expectation& entry : earlier_) {
      if (entry.glob != glob) continue;
      if (!entry.bug.empty()) text += " bug=" + Quoted(entry.bug);
      if (!entry.owner.empty()) text += " owner=" + Quoted(entry.owner);
      if (!entry.expires.empty()) text += " expires=" + entry.expires;
      break;
    }
    text += '\n';
  }

  const std::vector<Expectation>& earlier_;
  const std::string condition_;
};

}  // namespace

Expected<std::string> ExpectationsOf(const RunResult& result,
                                     const std::vector<Expectation>& earlier) {
  if (result.partial) {
    return Error{"the run was partial: what it left out would look like no failure"};
  }
  std::map<std::string, std::vector<const CaseResult*>> groups;
  for (const CaseResult& c : result.cases) {
    if (IsExecuted(c.status) && c.level != Level::kInfo) groups[c.requirement].push_back(&c);
  }
  const std::string& producer = result.producer.producer;
  Writer writer(earlier, " producer=" + Quoted(producer));
  writer.text = fmt::format("# Known failures of {} {}. Format: docs/expectations.md\n", producer,
                            result.producer.version);
  for (const auto& [requirement, cases] : groups) writer.Write(requirement, cases);
  return writer.text;
}

}  // namespace dlpc
