#include "harness/hosts/anonymous_table.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "reference/exchange.h"

namespace dlpc {
namespace {

// Code that jumps to the address behind it.
#if defined(__x86_64__)
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
constexpr unsigned char kJump[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};  // ldr x16, 8; br x16
#endif

class Page {
 public:
  Page() {
    void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) next_ = static_cast<unsigned char*>(page);
    page_ = page;
  }
  // The function itself where there is no such page.
  template <typename F>
  F Detour(F function) {
    if (next_ == nullptr) return function;
    unsigned char* const code = next_;
    std::memcpy(code, kJump, sizeof kJump);
    std::memcpy(code + sizeof kJump, &function, sizeof function);
    next_ += 32;
    return reinterpret_cast<F>(code);
  }
  void Seal() {
    if (next_ != nullptr) mprotect(page_, kBytes, PROT_READ | PROT_EXEC);
  }

 private:
  static constexpr size_t kBytes = 4096;
  void* page_ = nullptr;
  unsigned char* next_ = nullptr;
};

DLPackExchangeAPI MakeTable() {
  DLPackExchangeAPI api = *ExchangeTable(Mutant::kNone);
  Page page;  // Never unmapped, like a table.
  api.managed_tensor_allocator = page.Detour(api.managed_tensor_allocator);
  api.managed_tensor_from_py_object_no_sync =
      page.Detour(api.managed_tensor_from_py_object_no_sync);
  api.managed_tensor_to_py_object_no_sync = page.Detour(api.managed_tensor_to_py_object_no_sync);
  api.dltensor_from_py_object_no_sync = page.Detour(api.dltensor_from_py_object_no_sync);
  api.current_work_stream = page.Detour(api.current_work_stream);
  page.Seal();
  return api;
}

}  // namespace

const DLPackExchangeAPI* AnonymousTable() {
  static const DLPackExchangeAPI api = MakeTable();
  return &api;
}

}  // namespace dlpc
