// Which scripts and dtypes a fuzzer tries on a producer.
#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "conformance/random_arrays.h"
#include "conformance/variants.h"
#include "harness/json.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using Names = std::set<std::string, std::less<>>;

// The texts of a list of the claims.
Names NamesIn(const Json& claims, const char* key) {
  Names names;
  const auto list = claims.find(key);
  if (list == claims.end() || !list->is_array()) return names;
  for (const Json& item : *list) {
    if (item.is_string()) names.insert(item.get<std::string>());
  }
  return names;
}

// Scripts that make nothing but what is claimed.
std::vector<const Template*> Possible(const std::vector<const Template*>& from, const Names& dtypes,
                                      const Names& memories) {
  const auto makes = [&](const ArraySpec& spec) {
    return dtypes.count(DTypeName(spec.dtype)) != 0 &&
           (memories.empty() || memories.count(MemoryName(spec.memory)) != 0);
  };
  std::vector<const Template*> kept;
  std::copy_if(from.begin(), from.end(), std::back_inserter(kept), [&](const Template* t) {
    const std::vector<ArraySpec>& specs = t->script->script.specs;
    return std::all_of(specs.begin(), specs.end(), makes);
  });
  return kept;
}

}  // namespace

const Choices& AllChoices() {
  static const Choices all = [] {
    Choices choices;
    for (const Template& t : Templates()) {
      choices.templates[static_cast<size_t>(t.share)].push_back(&t);
    }
    choices.dtypes = AllDTypes();
    return choices;
  }();
  return all;
}

Choices ChoicesOf(const Claims& claims) {
  const auto json = ParseJson(claims.json);
  if (!json || !json->is_object()) return AllChoices();
  const Names dtypes = NamesIn(*json, "dtypes"), memories = NamesIn(*json, "memory_kinds");
  Choices choices;
  for (size_t share = 0; share < choices.templates.size(); ++share) {
    choices.templates[share] = Possible(AllChoices().templates[share], dtypes, memories);
  }
  for (const DTypeRow& row : DTypes()) {
    if (dtypes.count(row.name) != 0) choices.dtypes.push_back(row.dtype);
  }
  return choices.dtypes.empty() || choices.Of(Share::kQuick).empty() ? AllChoices() : choices;
}

}  // namespace dlpc
