// Facts of a case that a check may name as {name}.
#ifndef DLPC_CONFORMANCE_REPRO_FACTS_H_
#define DLPC_CONFORMANCE_REPRO_FACTS_H_

#include <vector>

#include "conformance/repro/program.h"
#include "conformance/repro/steps.h"

namespace dlpc {

Facts FactsOf(const ReproSubject& subject, const std::vector<ReproStep>& steps);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_FACTS_H_
