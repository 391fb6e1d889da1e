#include "conformance/repro/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/repro/helpers.h"

namespace dlpc {
namespace {

bool IsReadable(const Observation& o) {
  if (const auto* elements = std::get_if<Elements>(&o)) return elements->readable;
  const auto* seen = std::get_if<Inspected>(&o);
  if (seen == nullptr) return true;
  const DLTensor t = TensorOf(*seen);
  const bool shape = seen->shape_readable || (t.ndim == 0 && t.shape == nullptr);
  return t.ndim >= 0 && t.ndim <= 64 && shape && (seen->strides_readable || t.strides == nullptr);
}

// It goes into a comment.
std::string Safe(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; }, ' ');
  return text;
}

}  // namespace

std::string Joined(const Lines& lines) {
  return lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
}

Lines ReproHead(const ReproSubject& subject) {
  const RequirementResult& rule = *subject.requirement;
  const Claims& claims = *subject.claims;
  return {fmt::format("{}: {}", Safe(rule.id), Safe(rule.title)), "Source: " + Safe(rule.citation),
          fmt::format("Found with {} {} by {}.", Safe(claims.producer), Safe(claims.version),
                      Safe(subject.result->id)),
          "Exits 1 if the rule is broken, 0 if it is kept, 3 if that could not be looked at."};
}

size_t LastNamed(const std::vector<ReproStep>& steps, const std::string& check) {
  size_t last = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (AnyAsked(steps[i], check)) last = i;
  }
  return last;
}

bool AnyAsked(const ReproStep& step, const std::string& check) {
  return std::any_of(step.names.begin(), step.names.end(),
                     [&](const auto& name) { return Mentions(check, name); });
}

bool Possible(const std::vector<ReproStep>& steps, size_t last) {
  return std::all_of(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(last) + 1,
                     [](const ReproStep& step) { return step.possible; });
}

Lines Leftovers(const std::vector<ReproStep>& steps, const Lines& lines) {
  const std::string text = Joined(lines);
  Lines more;
  for (const ReproStep& step : steps) {
    if (step.call.empty()) continue;
    const std::string& name = step.names[0];
    const bool released = text.find("release(" + name) != std::string::npos ||
                          text.find("release_free(" + name) != std::string::npos ||
                          text.find("release_foreign(" + name) != std::string::npos;
    const bool consumed = text.find("rename(" + name + ",") != std::string::npos;
    const bool dropped = text.find(name + ".capsule = None") != std::string::npos;
    if (consumed && !released) more.push_back("release(" + name + ")");
    if (!consumed && !dropped) more.push_back(name + ".capsule = None");
  }
  more.emplace_back("a0 = a1 = a2 = a3 = None");
  return more;
}

bool IsGuarded(const ReproSubject& subject) {
  const auto& seen = subject.outcome->trace.steps;
  return !std::all_of(seen.begin(), seen.end(), IsReadable);
}

bool EndsProcess(const Script& script) {
  return std::any_of(script.steps.begin(), script.steps.end(),
                     [](const Step& s) { return s.op == Op::kEnd; });
}

bool NeedsChild(const ReproSubject& subject) {
  const std::string& id = subject.requirement->id;
  return id == "ABI-11" || id == "ABI-13" || id == "CAP-09" || id == "XAPI-13" ||
         EndsProcess(*subject.script);
}

}  // namespace dlpc
