#include "harness/hosts/python/kept.h"

#include <cstring>
#include <utility>

#include "harness/memory.h"
#include "reference/request.h"

namespace dlpc {
namespace {

constexpr uint64_t kMostBytes = 1 << 16;

}  // namespace

Kept::Kept(PyObject* array, const Observation& answer, std::string name)
    : array_(Ref::Borrow(array)), answer_(answer), name_(std::move(name)) {
  const Made* made = std::get_if<Made>(&answer);
  if (made == nullptr || !made->allocation || !made->device || !IsCpu(*made->device)) return;
  const auto [address, bytes] = *made->allocation;
  if (address == 0 || bytes > kMostBytes) return;
  contents_.resize(bytes);
  const auto memory = reinterpret_cast<char*>(address);
  if (SafeReadAll(memory, contents_.data(), bytes)) memory_ = memory;
}

bool Kept::Changed() const { return std::memcmp(memory_, contents_.data(), contents_.size()) != 0; }

void Kept::Restore() {
  if (Changed()) SafeWrite(memory_, contents_.data(), contents_.size());
}

}  // namespace dlpc
