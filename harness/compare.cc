#include "harness/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace dlpc {
namespace {

bool Died(const CaseResult& c) {
  return c.status == CaseStatus::kCrash || c.status == CaseStatus::kTimeout;
}
bool Passed(const CaseResult& c) {
  return c.status == CaseStatus::kPass || c.status == CaseStatus::kXPass;
}
bool Executed(const CaseResult* c) { return c != nullptr && IsExecuted(c->status); }

// Without what differs from run to run: addresses.
std::string Stable(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    out += text[i];
    const bool address = text.compare(i, 2, "0x") == 0;
    i += address ? 2 : 1;
    while (address && i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
    }
  }
  return out;
}

std::optional<ChangeKind> ChangeOf(const CaseResult* before, const CaseResult* after) {
  if (!Executed(after)) {
    return Executed(before) ? std::optional(ChangeKind::kVanished) : std::nullopt;
  }
  if (after->status == CaseStatus::kError) {
    const bool was = before != nullptr && before->status == CaseStatus::kError;
    return was ? std::nullopt : std::optional(ChangeKind::kError);
  }
  if (!Executed(before) || before->status == CaseStatus::kError) {
    return Passed(*after) ? ChangeKind::kNew : ChangeKind::kNewFailure;
  }
  if (Passed(*before)) {
    return Passed(*after) ? std::nullopt : std::optional(ChangeKind::kRegression);
  }
  if (Passed(*after)) return ChangeKind::kFixed;
  if (Died(*after) && !Died(*before)) return ChangeKind::kRegression;
  if (Died(*after) != Died(*before) || Stable(before->observed) != Stable(after->observed)) {
    return ChangeKind::kMessage;
  }
  return std::nullopt;
}

std::vector<std::string> Notes(const RunResult& before, const RunResult& after) {
  std::vector<std::string> notes;
  const auto differs = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b) notes.push_back(fmt::format("another {}: {} before, {} now", what, a, b));
  };
  differs("producer", before.producer.producer, after.producer.producer);
  differs("suite version", before.suite_version, after.suite_version);
  if (before.catalogue_sha256 != after.catalogue_sha256) {
    notes.emplace_back("the catalogues differ: cases may be new, gone or changed");
  }
  if (before.partial) notes.emplace_back("the earlier run is partial");
  if (after.partial) notes.emplace_back("the later run is partial");
  return notes;
}

}  // namespace

std::string_view ChangeTitle(ChangeKind kind) {
  static constexpr std::string_view kTitles[] = {
      "Regressions",      "New failures", "New errors of the suite or the adapter",
      "Changed messages", "Vanished",     "Fixed",
      "New passes"};
  return kTitles[static_cast<size_t>(kind)];
}

bool Comparison::regressed() const {
  return std::any_of(changes.begin(), changes.end(), [](const Change& change) {
    return change.kind == ChangeKind::kRegression && change.either().level != Level::kInfo;
  });
}

Comparison Compare(const RunResult& before, const RunResult& after) {
  Comparison comparison{&before, &after, {}, Notes(before, after)};
  std::unordered_map<std::string_view, const CaseResult*> earlier, later;
  for (const CaseResult& c : before.cases) earlier.emplace(c.id, &c);
  for (const CaseResult& c : after.cases) later.emplace(c.id, &c);
  const auto add = [&](const CaseResult* a, const CaseResult* b) {
    if (const auto kind = ChangeOf(a, b)) comparison.changes.push_back({*kind, a, b});
  };
  for (const CaseResult& c : after.cases) {
    const auto it = earlier.find(c.id);
    add(it == earlier.end() ? nullptr : it->second, &c);
  }
  for (const CaseResult& c : before.cases) {
    if (later.count(c.id) == 0) add(&c, nullptr);
  }
  std::stable_sort(
      comparison.changes.begin(), comparison.changes.end(), [](const Change& a, const Change& b) {
        return std::pair(a.kind, a.either().level) < std::pair(b.kind, b.either().level);
      });
  return comparison;
}

}  // namespace dlpc
