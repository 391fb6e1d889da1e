// What a generated program looks at in the end, for each requirement.
#ifndef DLPC_CONFORMANCE_REPRO_CHECKS_H_
#define DLPC_CONFORMANCE_REPRO_CHECKS_H_

#include <span>
#include <string_view>

namespace dlpc {

/// Python expressions over what the steps left: export0 is what the first export gave, inspect1
/// what the second inspection saw, and so on (program.cc names them all). {shape} and its like are
/// facts of the case.
struct ReproCheck {
  std::string_view requirement;
  std::string_view script;  // Part of the script's name; empty: any.
  std::string_view seen;    // What is printed as observed.
  std::string_view kept;    // Over `seen` and the rest: does the rule hold?
};

/// The first row that fits; nullptr: there is none.
const ReproCheck* FindRow(std::span<const ReproCheck> rows, std::string_view requirement,
                          std::string_view script);

/// The row of Python; nullptr: no program shows this rule.
const ReproCheck* FindReproCheck(std::string_view requirement, std::string_view script);
/// The same in C++, for programs about native plug-ins.
const ReproCheck* FindNativeCheck(std::string_view requirement, std::string_view script);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_CHECKS_H_
