#include "harness/emulation/table.h"

#include <utility>

namespace dlpc::emulation {
namespace {

template <size_t kIndex>
Error* Unimplemented(void*) {
  CountCall(static_cast<Slot>(kIndex));
  return MakeError(Code::kUnimplemented,
                   std::string(kSlotNames[kIndex]) + " is not implemented by the emulation.");
}

template <size_t... kIndices>
void FillUnimplemented(Function* slots, std::index_sequence<kIndices...>) {
  ((slots[kIndices] = &Unimplemented<kIndices>), ...);
}

void InstallErrors(Table& table) {
  table.Set<Slot::kError_Destroy>([](SelfArgs<Error>& args) { delete args.self; });
  table.Set<Slot::kError_Message>(
      [](TextArgs<const Error>& args) { args.Set(args.self->message); });
  table.Set<Slot::kError_GetCode>([](ErrorCodeArgs& args) { args.code = args.self->code; });
}

void InstallEvents(Table& table) {
  table.Set<Slot::kEvent_Destroy>([](SelfArgs<Event>& args) { delete args.self; });
  table.Set<Slot::kEvent_IsReady>([](ValueArgs<Event, bool>& args) { args.value = true; });
  table.Set<Slot::kEvent_Error>([](SelfArgs<Event>&) {});
  table.Set<Slot::kEvent_Await>([](SelfArgs<Event>&) {});
  table.Set<Slot::kEvent_OnReady>(
      [](EventOnReadyArgs& args) { args.callback(nullptr, args.user); });
}

}  // namespace

// An allocation may fail here, in C's world: then there is no error to return, and no success
// either.
Error* MakeError(Code code, std::string message) { return new Error{code, std::move(message)}; }

Table::Table() {
  FillUnimplemented(slots_, std::make_index_sequence<kSlots>());
  InstallErrors(*this);
  InstallEvents(*this);
  InstallClient(*this);
  InstallDevices(*this);
  InstallBuffers(*this);
  InstallTransfers(*this);
  InstallExecutables(*this);
}

}  // namespace dlpc::emulation
