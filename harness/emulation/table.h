// Fills the function table. What a slot does is written as a lambda on its argument struct; around
// it go a count of calls, a check of the caller's struct size, and a net for exceptions.
#ifndef DLPC_HARNESS_EMULATION_TABLE_H_
#define DLPC_HARNESS_EMULATION_TABLE_H_

#include <exception>
#include <string>
#include <type_traits>

#include "harness/emulation/counters.h"
#include "harness/emulation/objects.h"
#include "harness/emulation/pjrt_args.h"

namespace dlpc::emulation {

class Table {
 public:
  /// Every slot answers UNIMPLEMENTED with its function's name.
  Table();

  /// `F`: a lambda without captures, `void(Args&)` or `Error*(Args&)`.
  template <Slot kSlot, typename F>
  void Set(F) {
    slots_[static_cast<size_t>(kSlot)] = &Call<kSlot, F>;
  }

  const Function* slots() const { return slots_; }

 private:
  template <typename L, typename R, typename Args>
  static Args ArgsOf(R (L::*)(Args&) const);

  template <Slot kSlot, typename F>
  static Error* Call(void* raw) {
    using Args = decltype(ArgsOf(&F::operator()));
    CountCall(kSlot);
    auto* args = static_cast<Args*>(raw);
    // A size leaves out the padding at the end of a struct. Newer callers have longer structs.
    if (args->header.struct_size + alignof(Args) <= sizeof(Args)) {
      return MakeError(Code::kInvalidArgument, std::string(kSlotNames[static_cast<size_t>(kSlot)]) +
                                                   ": the argument struct is too short");
    }
    try {
      if constexpr (std::is_void_v<decltype(F{}(*args))>) {
        F{}(*args);
        return nullptr;
      } else {
        return F{}(*args);
      }
    } catch (const std::exception& e) {
      return MakeError(Code::kInternal, e.what());
    }
  }

  Function slots_[kSlots];
};

// Each file fills in its part.
void InstallErrorsAndEvents(Table& table);
void InstallClient(Table& table);
void InstallDevices(Table& table);
void InstallBuffers(Table& table);
void InstallTransfers(Table& table);
void InstallExecutables(Table& table);

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_TABLE_H_
