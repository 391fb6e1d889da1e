// The C exchange table of DLPack 1.3 as its consumers use it: looks it up, reads it, calls its
// functions with poisoned out-parameters, and catches what should not come out.
#ifndef DLPC_HARNESS_EXCHANGE_H_
#define DLPC_HARNESS_EXCHANGE_H_

#include <optional>

#include "harness/backend.h"
#include "harness/export_slots.h"
#include "harness/foreign_tensor.h"

namespace dlpc {

class Exchange {
 public:
  Exchange(Backend* backend, ExportSlots* exports) : backend_(backend), exports_(exports) {}

  /// kTable to kTableImport. `read_only` is what the library says of array s.a.
  Observation Perform(const Script& script, const Step& s, std::optional<bool> read_only);
  Observation ImportCalls() const;
  void Clear() { imported_ = nullptr; }

 private:
  Observation Look(const Step& s);
  TableCall Export(const DLPackExchangeAPI& api, const Step& s, std::optional<bool> read_only);
  TableCall Borrow(const DLPackExchangeAPI& api, const Step& s);
  TableCall Allocate(const DLPackExchangeAPI& api, const ArraySpec& spec, const Step& s);
  TableCall Stream(const DLPackExchangeAPI& api, const Step& s);
  Observation Import(const DLPackExchangeAPI& api, const ArraySpec& spec, const Step& s);
  void* ObjectOf(const Step& s);

  Backend* backend_;
  ExportSlots* exports_;
  ForeignTensor* imported_ = nullptr;  // The last one.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_EXCHANGE_H_
