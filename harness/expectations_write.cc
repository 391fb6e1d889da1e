// Writes the expectation file of a run.
#include <fmt/format.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

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

class Writer {
 public:
  Writer(const std::vector<Expectation>& earlier, std::string condition)
      : earlier_(earlier), condition_(std::move(condition)) {}

  // Cases that share `prefix`, sorted by id: one line if all failed alike, else one for each part.
  void Write(const std::string& prefix, std::vector<const CaseResult*> cases) {
    const CaseStatus first = TrueStatus(*cases.front(), earlier_);
    const bool alike = std::all_of(cases.begin(), cases.end(), [&](const CaseResult* c) {
      return TrueStatus(*c, earlier_) == first;
    });
    if (alike && first == CaseStatus::kPass) return;
    if (alike) return Line(cases.size() == 1 ? cases.front()->id : prefix + "/*", first, cases);
    std::map<std::string, std::vector<const CaseResult*>> parts;
    for (const CaseResult* c : cases) {
      parts[c->id.substr(0, c->id.find('/', prefix.size() + 1))].push_back(c);
    }
    for (auto& [part, members] : parts) Write(part, std::move(members));
  }

  std::string text;

 private:
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
