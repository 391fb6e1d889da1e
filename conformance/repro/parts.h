// What programs in both languages have in common.
#ifndef DLPC_CONFORMANCE_REPRO_PARTS_H_
#define DLPC_CONFORMANCE_REPRO_PARTS_H_

#include <string>
#include <vector>

#include "conformance/repro/program.h"
#include "conformance/repro/steps.h"

namespace dlpc {

using Lines = std::vector<std::string>;

std::string Joined(const Lines& lines);  // Each with its end.

/// The rule, its source, where it was found, and what the exit codes mean.
Lines ReproHead(const ReproSubject& subject);
/// The last step that a check names.
size_t LastNamed(const std::vector<ReproStep>& steps, const std::string& check);
/// Does the check name something of the step?
bool AnyAsked(const ReproStep& step, const std::string& check);
/// Can all steps up to `last` be done?
bool Possible(const std::vector<ReproStep>& steps, size_t last);
/// A host drops and releases what a script left; a process that ends in its last step ends in that.
Lines Leftovers(const std::vector<ReproStep>& steps, const Lines& lines);
/// Was some address of the trace unreadable?
bool IsGuarded(const ReproSubject& subject);
/// Does only the end of a process show it, or may it end one: an exception of C++ that nobody
/// catches, a lost exception, a deleter that is none?
bool NeedsChild(const ReproSubject& subject);
/// Is the last step the end of the interpreter?
bool EndsProcess(const Script& script);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_PARTS_H_
