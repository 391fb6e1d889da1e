// The verb `smoke`.
#ifndef DLPC_CONFORMANCE_CLI_SMOKE_H_
#define DLPC_CONFORMANCE_CLI_SMOKE_H_

#include "conformance/producers.h"

namespace dlpc {

/// One plain array through every step, told step by step: what an adapter's author looks at first.
int SmokeVerb(const ProducerOptions& options);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_CLI_SMOKE_H_
