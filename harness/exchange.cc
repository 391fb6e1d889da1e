#include "harness/exchange.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "harness/memory.h"
#include "harness/tensor_reader.h"

namespace dlpc {
namespace {

constexpr size_t kMaxChain = 8;

// What out-parameters hold before a call: whoever does not write them is found out, and whoever
// reads them does not get far.
constexpr uint64_t kPoison = 0x5a5a5a5a5a5a5a50;
// From no address does this lead to one that a process can have: 1 TiB led from one block of a
// sanitizer's heap to another.
constexpr uint64_t kPoisonOffset = uint64_t{1} << 48;
void* Poison() { return reinterpret_cast<void*>(kPoison); }

uint64_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

CodeIn PlaceOf(const void* function) {
  if (function == nullptr) return CodeIn::kNull;
  if (!IsExecutable(function)) return CodeIn::kNoCode;
  return IsExecutableFile(function) ? CodeIn::kFile : CodeIn::kAnonymous;
}

// In the order of TableSeen::functions.
std::array<const void*, 5> FunctionsOf(const DLPackExchangeAPI& api) {
  return {reinterpret_cast<const void*>(api.managed_tensor_allocator),
          reinterpret_cast<const void*>(api.managed_tensor_from_py_object_no_sync),
          reinterpret_cast<const void*>(api.managed_tensor_to_py_object_no_sync),
          reinterpret_cast<const void*>(api.dltensor_from_py_object_no_sync),
          reinterpret_cast<const void*>(api.current_work_stream)};
}

size_t FunctionOf(Op op) {
  switch (op) {
    case Op::kTableAllocate:
      return 0;
    case Op::kTableExport:
      return 1;
    case Op::kTableImport:
      return 2;
    case Op::kTableBorrow:
      return 3;
    default:
      return 4;
  }
}

void ReadChain(const DLPackExchangeAPIHeader* header, TableSeen& seen) {
  seen.chain_ends = false;
  while (seen.chain.size() < kMaxChain) {
    if (header == nullptr) {
      seen.chain_ends = true;
      return;
    }
    DLPackExchangeAPIHeader copy;
    if (!SafeReadAll(header, &copy, sizeof copy)) {
      seen.chain.push_back(-1);
      return;
    }
    seen.chain.push_back(copy.version.major);
    header = copy.prev_api;
  }
}

// Calls f() -> code; an exception is noted.
template <typename F>
void Call(TableCall& call, F f) {
  try {
    call.code = f();
  } catch (...) {
    call.threw = true;
  }
}

void TakeOut(TableCall& call, const void* out) {
  call.out = Address(out);
  call.out_written = call.out != kPoison;
}

// Counts what an allocator reports.
struct ErrorCounter {
  uint32_t calls = 0;
  std::string text;

  static void SetError(void* self, const char* kind, const char* message) {
    auto* counter = static_cast<ErrorCounter*>(self);
    ++counter->calls;
    counter->text = Short(kind) + ": " + Short(message);
  }

 private:
  static std::string Short(const char* text) {
    char copy[300];
    const size_t size = text == nullptr ? 0 : SafeRead(text, copy, sizeof copy);
    return std::string(copy, strnlen(copy, size));
  }
};

// Whether all elements can be written and read back. Absent where this process cannot tell.
std::optional<bool> CanWriteAll(const Inspected& inspected, bool host_memory) {
  const Observation before = ReadElements(inspected, host_memory);
  const Elements* elements = std::get_if<Elements>(&before);
  if (elements == nullptr) return std::nullopt;
  if (!elements->readable) return false;
  const std::string bytes(elements->high - elements->low, '\x3c');
  if (bytes.empty()) return true;
  if (!SafeWrite(reinterpret_cast<void*>(elements->low), bytes.data(), bytes.size())) return false;
  const Observation after = ReadElements(inspected, host_memory);
  const Elements* again = std::get_if<Elements>(&after);
  return again != nullptr && again->bytes == std::string(again->bytes.size(), '\x3c');
}

}  // namespace

void* Exchange::ObjectOf(const Step& s) {
  return s.bad == BadInput::kObject ? backend_->ForeignObject() : backend_->TableObject(s.a);
}

Observation Exchange::Look(const Step& s) {
  Observation observation = backend_->FindTable(s.a, s.pending);
  TableSeen* seen = std::get_if<TableSeen>(&observation);
  if (seen == nullptr || seen->on_type != TableForm::kTable) return observation;
  DLPackExchangeAPI api;
  seen->readable = SafeReadAll(reinterpret_cast<const void*>(seen->address), &api, sizeof api);
  if (!seen->readable) return observation;
  seen->major = api.header.version.major;
  seen->minor = api.header.version.minor;
  ReadChain(api.header.prev_api, *seen);
  const auto functions = FunctionsOf(api);
  std::transform(functions.begin(), functions.end(), seen->functions.begin(), PlaceOf);
  return observation;
}

Observation Exchange::Perform(const Script& script, const Step& s, std::optional<bool> read_only) {
  if (s.op == Op::kTable) return Look(s);
  Observation observation = backend_->FindTable(s.a, false);
  const TableSeen* seen = std::get_if<TableSeen>(&observation);
  if (seen == nullptr) return observation;
  DLPackExchangeAPI api;
  if (seen->on_type != TableForm::kTable ||
      !SafeReadAll(reinterpret_cast<const void*>(seen->address), &api, sizeof api)) {
    return NotPerformed{"the type has no exchange table"};
  }
  if (api.header.version.major != DLPACK_MAJOR_VERSION) {
    return NotPerformed{"the exchange table is of another major version"};
  }
  if (!IsExecutable(FunctionsOf(api)[FunctionOf(s.op)])) {
    return NotPerformed{"the exchange table has no such function"};
  }
  const bool has_spec = s.op == Op::kTableAllocate || s.op == Op::kTableImport;
  if (has_spec && s.spec >= script.specs.size()) return NotPerformed{"no such spec"};
  switch (s.op) {
    case Op::kTableExport:
      return Export(api, s, read_only);
    case Op::kTableBorrow:
      return Borrow(api, s);
    case Op::kTableAllocate:
      return Allocate(api, script.specs[s.spec], s);
    case Op::kTableImport:
      return Import(api, script.specs[s.spec], s);
    default:
      return Stream(api, s);
  }
}

TableCall Exchange::Export(const DLPackExchangeAPI& api, const Step& s,
                           std::optional<bool> read_only) {
  exports_->Vacate(s.e);
  TableCall call;
  auto* out = static_cast<DLManagedTensorVersioned*>(Poison());
  void* const object = ObjectOf(s);
  Call(call, [&] { return api.managed_tensor_from_py_object_no_sync(object, &out); });
  TakeOut(call, out);
  call.raised = backend_->TakeRaised();
  if (call.code == 0 && !call.threw && call.out_written) exports_->Hold(s.e, out, read_only);
  return call;
}

TableCall Exchange::Borrow(const DLPackExchangeAPI& api, const Step& s) {
  TableCall call;
  DLManagedTensor holder{};  // Its frame is that of the caller's DLTensor.
  void* const object = ObjectOf(s);
  std::optional<int64_t> start;
  for (uint32_t i = 0; i < std::max<uint32_t>(s.n, 1); ++i) {
    std::memset(&holder.dl_tensor, 0x5a, sizeof holder.dl_tensor);
    Call(call, [&] { return api.dltensor_from_py_object_no_sync(object, &holder.dl_tensor); });
    if (call.threw || call.code != 0) break;
    if (i == 0 && s.n > 1) start = HeapInUse();
  }
  if (start) call.heap_growth = *HeapInUse() - *start;
  DLTensor untouched;
  std::memset(&untouched, 0x5a, sizeof untouched);
  call.out_written = std::memcmp(&untouched, &holder.dl_tensor, sizeof untouched) != 0;
  call.raised = backend_->TakeRaised();
  ForgetReadable();
  if (call.code != 0 || call.threw || !call.out_written) return call;
  const Observation read = InspectTensor({&holder, false}, nullptr);
  if (const auto* inspected = std::get_if<Inspected>(&read)) call.tensor = *inspected;
  return call;
}

TableCall Exchange::Allocate(const DLPackExchangeAPI& api, const ArraySpec& spec, const Step& s) {
  exports_->Vacate(s.e);
  TableCall call;
  TensorParts prototype(spec, s.bad);
  // Only dtype, ndim, shape and device may be looked at.
  std::vector<int64_t> garbage(std::max<size_t>(static_cast<size_t>(prototype.tensor.ndim), 1),
                               -77777);
  prototype.tensor.data = Poison();
  prototype.tensor.strides = garbage.data();
  prototype.tensor.byte_offset = kPoisonOffset;
  auto* out = static_cast<DLManagedTensorVersioned*>(Poison());
  ErrorCounter errors;
  const Dropped left = backend_->RunDeleter(s.thread, /*pending=*/false, [&] {
    Call(call, [&] {
      return api.managed_tensor_allocator(&prototype.tensor, &out, &errors,
                                          &ErrorCounter::SetError);
    });
  });
  TakeOut(call, out);
  call.set_errors = errors.calls;
  call.error = std::move(errors.text);
  if (left.left_exception) call.raised = Raised{"an exception", {}, ""};
  if (call.code != 0 || call.threw || !call.out_written) return call;
  ForgetReadable();
  exports_->Hold(s.e, out, false);
  const Observation read = InspectTensor({out, true}, nullptr);
  const auto* inspected = std::get_if<Inspected>(&read);
  if (inspected != nullptr) call.writable = CanWriteAll(*inspected, backend_->HostMemory());
  return call;
}

TableCall Exchange::Stream(const DLPackExchangeAPI& api, const Step& s) {
  TableCall call;
  void* out = Poison();
  const auto type = static_cast<DLDeviceType>(static_cast<int32_t>(s.n));
  Call(call, [&] { return api.current_work_stream(type, 0, &out); });
  TakeOut(call, out);
  call.raised = backend_->TakeRaised();
  return call;
}

Observation Exchange::Import(const DLPackExchangeAPI& api, const ArraySpec& spec, const Step& s) {
  TableCall call;
  imported_ = ForeignTensor::Make(spec, s.bad);
  if (s.pending) imported_->managed()->manager_ctx = nullptr;
  void* out = Poison();
  Call(call, [&] { return api.managed_tensor_to_py_object_no_sync(imported_->managed(), &out); });
  TakeOut(call, out);
  call.raised = backend_->TakeRaised();
  if (call.code != 0 || call.threw) imported_->Refused();
  if (call.code != 0 || call.threw || !call.out_written || out == nullptr) return call;
  Observation adopted = backend_->Adopt(s.e, out, s.a, &call.same_type);
  const Made* made = std::get_if<Made>(&adopted);
  if (made == nullptr) return adopted;
  call.made = *made;
  return call;
}

Observation Exchange::ImportCalls() const {
  if (imported_ == nullptr) return NotPerformed{"no tensor of ours was passed in"};
  Counted counted;
  counted.value = imported_->calls();
  return counted;
}

}  // namespace dlpc
