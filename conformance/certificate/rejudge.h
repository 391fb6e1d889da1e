// Judging a stored run again, without the producer.
#ifndef DLPC_CONFORMANCE_CERTIFICATE_REJUDGE_H_
#define DLPC_CONFORMANCE_CERTIFICATE_REJUDGE_H_

#include <string_view>

#include "harness/results.h"
#include "reference/expected.h"

namespace dlpc {

/// Is `result` what this program's catalogue and judges make of the traces (traces.jsonl)? Every
/// case and requirement exactly once and in order, every script as the catalogue has it, every
/// verdict and every sum the same. The Error names the first thing that is not.
Status CheckAgainstTraces(const RunResult& result, std::string_view traces);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CERTIFICATE_REJUDGE_H_
