#include "conformance/repro/helpers.h"

namespace dlpc {
namespace {

// "class Export:", "def look(e):", "kept = []"
std::string_view NameIn(std::string_view line) {
  for (const std::string_view keyword : {"class ", "def "}) {
    if (line.starts_with(keyword)) line.remove_prefix(keyword.size());
  }
  return line.substr(0, line.find_first_of(" (:"));
}

std::vector<ReproHelper> Split(std::string_view file) {
  constexpr std::string_view kBetween = "\n\n\n";
  std::vector<ReproHelper> helpers;
  while (!file.empty()) {
    const size_t end = file.find(kBetween);
    std::string_view text = file.substr(0, end);
    while (text.ends_with('\n')) text.remove_suffix(1);
    while (text.starts_with('\n')) text.remove_prefix(1);
    const bool comment = text.empty() || text.starts_with('#');  // On a whole file.
    if (!comment) helpers.push_back({NameIn(text.substr(0, text.find('\n'))), text});
    if (end == std::string_view::npos) break;
    file.remove_prefix(end + kBetween.size());
  }
  return helpers;
}

}  // namespace

const std::vector<ReproHelper>& ReproHelpers() {
  static const std::vector<ReproHelper> helpers = Split(kReproHelpersFile);
  return helpers;
}

}  // namespace dlpc
