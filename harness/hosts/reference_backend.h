// The host's view of the reference producer: no interpreter, every device emulated in host memory.
#ifndef DLPC_HARNESS_HOSTS_REFERENCE_BACKEND_H_
#define DLPC_HARNESS_HOSTS_REFERENCE_BACKEND_H_

#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "harness/backend.h"
#include "reference/exchange.h"
#include "reference/producer.h"

namespace dlpc {

class ReferenceBackend : public Backend {
 public:
  /// `profile`, `fault`: what it tells by DLPack of its places (reference/place_map.h).
  explicit ReferenceBackend(Mutant mutant, std::string_view profile = "generic",
                            MapFault fault = {});
  ~ReferenceBackend() override;

  Claims GetClaims() override;
  Observation Make(int a, const ArraySpec& spec) override;
  Observation MakeRefusal(int a, uint32_t n) override;
  Observation Probe(int a) override;
  Observation Device(int a, uint32_t times) override;
  Observation Export(int e, int a, const Request& request) override;
  Observation ExportMany(int a, uint32_t times, const Request& request, bool drop_each) override;
  Observation ReadOwn(int a) override;
  Observation Poke(int a, const std::string& element) override;
  Observation Rename(int e, Name name) override;
  Observation DropCapsule(int e, bool pending) override;
  Observation DropArray(int a) override;
  Observation Collect() override;
  Observation RefCount(int a) override;
  ManagedRef Managed(int e) override;
  bool HasArray(int a) override;
  bool HasCapsule(int e) override;
  void Forget(int e) override;
  bool HasInterpreter() const override { return true; }
  void WithLock(const std::function<void()>& f) override;
  void EndInterpreter() override { producer_.Interpreter().ended = true; }
  Observation Derive(int a, int from, Derived how) override;
  Dropped RunDeleter(Thread thread, bool pending, const std::function<void()>& call) override;
  bool HostMemory() const override { return true; }
  Observation FindTable(int a, bool subclass) override;
  void* TableObject(int a) override;
  void* ForeignObject() override;
  std::optional<Raised> TakeRaised() override;
  Observation Adopt(int to, void* object, int a, bool* same_type) override;
  Observation UseStream(int a, uint32_t n) override;
  Timing Time(const Measurement& measurement) override;
  void Reset() override;

 private:
  Observation Keep(int a, RefArrayPtr array, bool sharded);
  Observation Remedy(int a, const RefArrayPtr& source);

  struct ExportSlot {
    std::shared_ptr<RefCapsule> capsule;
    ManagedRef managed;
  };

  const Mutant mutant_;
  const std::string profile_;
  RefProducer producer_;
  std::array<RefArrayPtr, kArraySlots> arrays_;
  std::array<ExportSlot, kExportSlots> exports_;
  RefThread thread_;
  int64_t consumers_stream_ = 0;  // Its handle; 0: none.
  std::set<int64_t> waiting_;     // Streams that wait for the work on the current one.
  std::array<RefObject, kArraySlots> objects_;
  std::optional<Measurement> timed_;  // What timed_array_ was made for; kept across loops.
  RefArrayPtr timed_array_;
};

std::unique_ptr<Backend> MakeReferenceBackend(Mutant mutant);

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_REFERENCE_BACKEND_H_
