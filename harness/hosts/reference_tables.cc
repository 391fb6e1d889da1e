// The part of ReferenceBackend that finds the C exchange table and takes over what it makes.
#include <memory>
#include <string_view>
#include <utility>

#include "harness/hosts/anonymous_table.h"
#include "harness/hosts/reference_backend.h"

namespace dlpc {
namespace {

// The handle of a stream is whatever the library likes.
constexpr uintptr_t kStream = 0x5700;
constexpr int64_t kConsumers = 0x5800;

}  // namespace

Observation ReferenceBackend::FindTable(int a, bool subclass) {
  RefThread::SetCurrent(&thread_);
  RefProducer::Table found = producer_.TableOf(arrays_[a]);
  if (mutant_ == Mutant::kTableAnonymous) found.api = AnonymousTable();
  TableSeen seen;
  if (found.api == nullptr) return seen;
  const bool named = std::string_view(found.name) == "dlpack_exchange_api";
  const TableForm form = named ? TableForm::kTable : TableForm::kOtherName;
  seen.on_type = found.on_type ? form : TableForm::kMissing;
  seen.on_instance = form;
  if (subclass) seen.on_subclass = seen.on_type;
  seen.found.reserve(48);
  if (found.on_type) seen.found.append("a capsule named \"").append(found.name).append("\"");
  if (seen.on_type == TableForm::kTable) seen.address = reinterpret_cast<uintptr_t>(found.api);
  return seen;
}

void* ReferenceBackend::TableObject(int a) {
  objects_[a] = {&producer_, arrays_[a]};
  return &objects_[a];
}

void* ReferenceBackend::ForeignObject() {
  static RefObject object;
  return &object;
}

std::optional<Raised> ReferenceBackend::TakeRaised() {
  const auto raised = std::exchange(thread_.raised, std::nullopt);
  if (!raised) return std::nullopt;
  return Raised{raised->exception,
                {raised->exception, "Exception", "BaseException", "object"},
                raised->message};
}

Observation ReferenceBackend::Adopt(int to, void* object, int, bool* same_type) {
  const std::unique_ptr<RefObject> made(static_cast<RefObject*>(object));
  *same_type = true;
  return Keep(to, std::move(made->array), false);
}

Observation ReferenceBackend::UseStream(int a, uint32_t n) {
  const auto device = producer_.Label(arrays_[a]);
  if (!device || device->device_type == kDLCPU) return Unsupported{"the CPU has no streams"};
  Counted counted;
  const auto type = static_cast<size_t>(device->device_type);
  const auto idle = [this](int64_t stream) {
    return thread_.busy && waiting_.contains(stream) ? 0 : 1;
  };
  switch (static_cast<StreamUse>(n)) {
    case StreamUse::kChange:
      counted.value = static_cast<int64_t>(thread_.streams.at(type) = kStream + type);
      break;
    case StreamUse::kWork:
      thread_.busy = true;
      break;
    case StreamUse::kIsOver:
      counted.value = thread_.busy ? 0 : 1;
      break;
    case StreamUse::kConsumer:
      counted.value = consumers_stream_ = kConsumers;
      break;
    case StreamUse::kEndConsumer:
      counted.value = std::exchange(consumers_stream_, 0) == 0 ? 0 : 1;
      break;
    case StreamUse::kLegacyIdle:
      counted.value = idle(1);
      break;
    case StreamUse::kThreadIdle:
      counted.value = idle(2);
      break;
    case StreamUse::kConsumerIdle:
      counted.value = idle(kConsumers);
      break;
    case StreamUse::kCount_:
      break;
  }
  return counted;
}

}  // namespace dlpc
