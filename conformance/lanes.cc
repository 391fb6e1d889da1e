#include "conformance/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "conformance/producers.h"

namespace dlpc {
namespace {

constexpr int kLanesAtATime = 2;

void Add(const RunStats& stats, RunStats& sum) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  sum.deaths += stats.deaths;
  sum.start_s = std::max(sum.start_s, stats.start_s);
  sum.host_rss_kb = std::max(sum.host_rss_kb, stats.host_rss_kb);
  sum.host_start_rss_kb = std::max(sum.host_start_rss_kb, stats.host_start_rss_kb);
}

std::string PlaceNames() {
  std::vector<std::string_view> names;
  for (const EmulatedPlace& place : EmulatedPlaces()) names.push_back(place.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<const Case*> CasesAt(const std::vector<const Case*>& cases,
                                 const EmulatedPlace& place) {
  std::vector<const Case*> there;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(there),
               [&](const Case* c) { return LivesAt(c->script->script, place); });
  return there;
}

}  // namespace

Expected<std::vector<const EmulatedPlace*>> ParseEmulate(const std::vector<std::string>& names,
                                                         std::string_view producer) {
  std::vector<const EmulatedPlace*> places;
  if (names.empty()) return places;
  if (producer != "jax") {
    return Error{"--emulate is for the producer jax: no other has an emulated accelerator"};
  }
  for (std::string_view name : names) {
    if (name.starts_with("jax:")) name.remove_prefix(4);
    const EmulatedPlace* const found = FindEmulatedPlace(name);
    if (found == nullptr && name != "all") {
      return Error{
          fmt::format("no emulated profile '{}' (there are: all, {})", name, PlaceNames())};
    }
    for (const EmulatedPlace& place : EmulatedPlaces()) {
      const bool wanted = name == "all" || &place == found;
      if (wanted && std::find(places.begin(), places.end(), &place) == places.end()) {
        places.push_back(&place);
      }
    }
  }
  return places;
}

Expected<Lanes> OwnLane(const HostCommand& host, const EngineOptions& options,
                        const std::vector<const Case*>& cases, const Editions& editions) {
  const auto engine = std::make_shared<Engine>(host, options);
  const auto claims = engine->Start();
  if (!claims) return claims.error();
  Lanes lanes;
  lanes.claims = *claims;
  lanes.editions = editions;
  lanes.stats = std::make_shared<RunStats>();
  lanes.lanes.push_back(
      {"", cases,
       [engine, editions, sum = lanes.stats](const auto& wanted, const Progress& progress) {
         Performed performed = Perform(*engine, wanted, editions, {}, progress);
         Add(engine->stats(), *sum);
         return performed;
       }});
  return lanes;
}

Expected<Lanes> EmulatedLanes(const HostCommand& host, const EngineOptions& options,
                              const std::vector<const Case*>& cases,
                              const std::vector<const EmulatedPlace*>& places,
                              const Editions& editions) {
  Lanes lanes;
  lanes.editions = editions;
  lanes.jobs = options.jobs > 0 ? options.jobs : kLanesAtATime;
  lanes.stats = std::make_shared<RunStats>();
  EngineOptions one = options;
  one.jobs = 1;
  for (const EmulatedPlace* place : places) {
    Lane lane{std::string(place->name), CasesAt(cases, *place), {}};
    if (lane.cases.empty()) continue;
    const auto command = EmulatedHost(host, place->name);
    if (!command) return command.error();
    if (lanes.lanes.empty()) {  // Is there such a producer at all?
      const auto claims = Engine(*command, one).Start();
      if (!claims) return claims.error();
      lanes.claims = *claims;
    }
    lane.perform = [command = *command, one, editions, sum = lanes.stats, name = place->name](
                       const auto& wanted, const Progress& progress) {
      Engine engine(command, one);
      Performed performed = Perform(engine, wanted, editions, name, progress);
      Add(engine.stats(), *sum);
      return performed;
    };
    lanes.lanes.push_back(std::move(lane));
  }
  return lanes;
}

}  // namespace dlpc
