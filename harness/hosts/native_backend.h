// Producers behind the C header dlpc/producer.h, loaded from a shared library. There are no
// capsules in C: name, renaming and dropping are done here as a Python capsule would do them.
#ifndef DLPC_HARNESS_HOSTS_NATIVE_BACKEND_H_
#define DLPC_HARNESS_HOSTS_NATIVE_BACKEND_H_

#include <dlpc/producer.h>

#include <array>
#include <memory>
#include <string>

#include "harness/backend.h"
#include "reference/expected.h"

namespace dlpc {

/// The functions of a plug-in; optional ones may be nullptr.
struct NativeApi {
  decltype(&dlpc_abi_version) abi_version = nullptr;
  decltype(&dlpc_info) info = nullptr;
  decltype(&dlpc_make) make = nullptr;
  decltype(&dlpc_export) export_array = nullptr;
  decltype(&dlpc_release) release = nullptr;
  decltype(&dlpc_device) device = nullptr;
  decltype(&dlpc_facts) facts = nullptr;
  decltype(&dlpc_access) access = nullptr;
};

class NativeBackend : public Backend {
 public:
  /// The error is one line for the user. The library stays loaded until the process ends.
  static Expected<std::unique_ptr<NativeBackend>> Open(const std::string& path);
  /// The same for functions that are there already. `path` is what they are called in messages.
  static Expected<std::unique_ptr<NativeBackend>> Adopt(const NativeApi& api,
                                                        const std::string& path);
  ~NativeBackend() override;

  Claims GetClaims() override { return claims_; }
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
  Observation Collect() override { return Done{}; }
  Observation RefCount(int a) override;
  ManagedRef Managed(int e) override { return exports_[e].managed; }
  bool HasArray(int a) override { return arrays_[a].handle != nullptr; }
  bool HasCapsule(int e) override { return exports_[e].name != nullptr; }
  void Forget(int e) override { exports_[e] = {}; }
  Dropped RunDeleter(Thread thread, bool pending, const std::function<void()>& call) override;
  void Reset() override;

 private:
  struct ArraySlot {
    dlpc_array* handle = nullptr;
    size_t element_bytes = 0;
    size_t value_bytes = 0;  // Of all elements.
  };
  struct ExportSlot {
    ManagedRef managed;
    const char* name = nullptr;  // Of the emulated capsule; nullptr: none.
  };

  NativeBackend(const NativeApi& api, Claims claims) : api_(api), claims_(std::move(claims)) {}
  Observation Call(int a, const Request& request, ManagedRef& managed);

  const NativeApi api_;
  const Claims claims_;
  std::array<ArraySlot, kArraySlots> arrays_;
  std::array<ExportSlot, kExportSlots> exports_;
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_NATIVE_BACKEND_H_
