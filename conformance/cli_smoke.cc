#include "conformance/cli_smoke.h"

#include <fmt/format.h>

#include <cstdio>

#include "conformance/complain.h"
#include "harness/engine.h"

namespace dlpc {

int SmokeVerb(const ProducerOptions& options) {
  const auto host = ResolveHost(options);
  if (!host) return Complain(kUsage, host.error().message);
  Engine engine(*host, EngineOptions{});
  const auto claims = engine.Start();
  if (!claims) return Complain(kEngine, claims.error().message);
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  const Script script = ScriptBuilder(spec)
                            .Probe()
                            .Device()
                            .Export()
                            .Inspect()
                            .Read()
                            .ReadOwn()
                            .Export(WithVersion(1, 3), 1)
                            .Inspect(1)
                            .Read(1)
                            .Build();
  const std::vector<Outcome> outcomes = engine.Run({&script}, {});
  const Outcome& outcome = outcomes.front();
  fmt::print("{} {} ({})\n", claims->producer, claims->version, claims->kind);
  const std::vector<std::string> lines = ScriptText(script);
  bool ok = outcome.kind == Outcome::Kind::kTrace, exported = false;
  for (size_t i = 0; i < lines.size() && i < outcome.trace.steps.size(); ++i) {
    const Observation& seen = outcome.trace.steps[i];
    fmt::print("{}\n    {}\n", lines[i], ObservationText(seen));
    if (std::holds_alternative<AdapterFault>(seen) || (i == 0 && !std::get_if<Made>(&seen))) {
      ok = false;
    }
    if (script.steps[i].op == Op::kExport) exported |= std::holds_alternative<Exported>(seen);
  }
  fmt::print("{}", outcome.stderr_tail);
  if (outcome.kind != Outcome::Kind::kTrace) return Complain(kUnexpected, outcome.text);
  if (!ok) return Complain(kEngine, "the adapter makes no array that could be tried");
  return exported ? kAsExpected : Complain(kUnexpected, "the array was not exported");
}

}  // namespace dlpc
