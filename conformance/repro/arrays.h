// How a generated program gets its arrays and what it asks the library itself: by a recipe of the
// adapter (REPRO in its file), else by the adapter.
#ifndef DLPC_CONFORMANCE_REPRO_ARRAYS_H_
#define DLPC_CONFORMANCE_REPRO_ARRAYS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/script.h"

namespace dlpc {

using Facts = std::map<std::string, std::string, std::less<>>;

/// `text` with each {name} replaced by its fact; unknown ones stay.
std::string Fill(std::string_view text, const Facts& facts);

class ArrayRecipe {
 public:
  /// `emulated`: the profile that the host ran under; empty: none.
  ArrayRecipe(const Claims& claims, std::string_view emulated);

  /// Lines that leave the array of the spec in `variable`.
  std::vector<std::string> Make(const ArraySpec& spec, const std::string& variable);
  /// The same for the n-th object of refusals(), which is called `name`.
  std::vector<std::string> MakeRefusal(uint32_t n, const std::string& name,
                                       const std::string& variable);
  /// An expression for what the library says of `x`: "read", "pointer", "allocation", "subclass",
  /// "consume"; a statement for "poke"; "references".
  std::string Ask(std::string_view what, const std::string& x, const Facts& more = {});

  /// Lines that come before `body`: imports, and what the adapter needs.
  std::vector<std::string> Start(const std::string& body) const;

 private:
  void ReadRecipe(const std::string& claims);
  /// Given by --object MODULE:EXPRESSION, without an adapter.
  bool IsObject() const { return claims_.kind == "python" && claims_.adapter.empty(); }
  bool Has(std::string_view key) const { return texts_.find(key) != texts_.end(); }
  std::string ByRecipe(const ArraySpec& spec) const;
  std::vector<std::string> ByAdapter(const ArraySpec& spec, const std::string& variable);

  const Claims& claims_;
  const std::string emulated_;
  std::vector<std::string> imports_, start_;
  Facts texts_, dtypes_;
  std::map<std::string, std::vector<std::string>> refusals_;
};

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_ARRAYS_H_
