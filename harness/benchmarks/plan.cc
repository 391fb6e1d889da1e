// Which loops are run.
#include <fmt/format.h>

#include "harness/benchmarks/benchmarks.h"

namespace dlpc {
namespace {

constexpr uint64_t kSmall = 4096;  // Bytes: no cost that grows with an array shows at this size.

class Plan {
 public:
  Measurement& Add(const char* topic, std::string name, Timed what, uint64_t bytes = kSmall) {
    cases.push_back({topic, std::move(name), {}});
    Measurement& m = cases.back().measurement;
    m.what = what;
    m.bytes = bytes;
    return m;
  }
  std::vector<BenchCase> cases;
};

void AddPaths(Plan& plan) {
  plan.Add("Floor", "empty call", Timed::kNothing);
  plan.Add("Floor", "malloc free", Timed::kMallocFree);
  plan.Add("Device", "__dlpack_device__", Timed::kDevice);
  for (const bool versioned : {false, true}) {
    const char* const name = versioned ? "versioned" : "legacy";
    plan.Add("Export", fmt::format("drop {}", name), Timed::kExportDrop).versioned = versioned;
    plan.Add("Export", fmt::format("release {}", name), Timed::kExportRelease).versioned =
        versioned;
  }
  plan.Add("Table", "owned", Timed::kTableOwned);
  plan.Add("Table", "borrowed", Timed::kTableBorrowed);
  plan.Add("Refusal", "dl_device", Timed::kRefusal);
  plan.Add("Import", "from ours", Timed::kImport);
  plan.Add("Import", "from itself", Timed::kRoundTrip);
  plan.Add("Import", "numpy from it", Timed::kToNumpy);
}

}  // namespace

std::vector<BenchCase> BenchCases(uint64_t max_bytes, int max_threads) {
  Plan plan;
  AddPaths(plan);
  for (const uint8_t ndim : {0, 1, 2, 4, 8, 16, 32, 64}) {
    plan.Add("Rank", fmt::format("ndim {}", ndim), Timed::kExportRelease, 4).ndim = ndim;
  }
  for (int threads = 1; threads <= max_threads; threads *= 2) {
    for (const Timed what : {Timed::kThreads, Timed::kReleaseThreads}) {
      const char* const name = what == Timed::kThreads ? "export release" : "release unlocked";
      plan.Add("Threads", fmt::format("{} {}", name, threads), what).threads =
          static_cast<uint8_t>(threads);
    }
  }
  for (uint64_t bytes = 1; bytes <= max_bytes; bytes <<= 10) {
    plan.Add("Size", "release versioned", Timed::kExportRelease, bytes);
  }
  const uint64_t largest_copy = std::min<uint64_t>(max_bytes, uint64_t{64} << 20);
  for (uint64_t bytes = 1024; bytes <= largest_copy; bytes <<= 4) {
    plan.Add("Copy", "memcpy", Timed::kMemcpy, bytes);
    plan.Add("Copy", "copy=True", Timed::kCopyRelease, bytes);
  }
  return plan.cases;
}

std::string BenchSeries::FullName() const {
  std::string full = fmt::format("BM_{}/{}/{}/{}", topic, producer, name, bytes);
  for (char& c : full) c = c == ' ' ? '_' : c;
  return full;
}

}  // namespace dlpc
