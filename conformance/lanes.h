// The hosts of one run: the producer's own, or one for each emulated profile.
#ifndef DLPC_CONFORMANCE_LANES_H_
#define DLPC_CONFORMANCE_LANES_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/places.h"
#include "conformance/run.h"

namespace dlpc {

/// One kind of host and the cases for it: the producer as it is, or under one emulated profile.
struct Lane {
  std::string emulated;  // Name of the profile; empty: none.
  std::vector<const Case*> cases;
  /// Performs and judges some of the cases.
  std::function<Performed(const std::vector<const Case*>& cases, const Progress& progress)> perform;
};

struct Lanes {
  std::vector<Lane> lanes;
  int jobs = 1;                     // So many lanes at a time.
  Claims claims;                    // Of the first lane.
  Editions editions;                // That are judged against.
  std::shared_ptr<RunStats> stats;  // Sums and peaks of the hosts so far.
};

/// "jax:tpu-pinned,cuda-device", "all". Errors name what there is.
Expected<std::vector<const EmulatedPlace*>> ParseEmulate(const std::vector<std::string>& names,
                                                         std::string_view producer);

/// The producer as it is: starts its host.
Expected<Lanes> OwnLane(const HostCommand& host, const EngineOptions& options,
                        const std::vector<const Case*>& cases, const Editions& editions = {});

/// One lane for each place, with the cases whose arrays live there; places without a case are left
/// out. A host lives while its lane is performed. Without options.jobs two lanes run at a time.
Expected<Lanes> EmulatedLanes(const HostCommand& host, const EngineOptions& options,
                              const std::vector<const Case*>& cases,
                              const std::vector<const EmulatedPlace*>& places,
                              const Editions& editions = {});

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_LANES_H_
