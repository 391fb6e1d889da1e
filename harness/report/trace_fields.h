// The fields of each observation type, once: traces.jsonl is both written and read from these
// lists.
#ifndef DLPC_HARNESS_REPORT_TRACE_FIELDS_H_
#define DLPC_HARNESS_REPORT_TRACE_FIELDS_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <variant>

#include "harness/trace.h"

namespace dlpc {

// In the order of Observation's alternatives.
inline constexpr std::array<const char*, std::variant_size_v<Observation>> kObservationTypes{
    "not_performed", "done",   "unsupported", "adapter_fault", "raised",   "made",
    "probed",        "device", "exported",    "inspected",     "elements", "dropped",
    "counted",       "many",   "table",       "table_call",    "ended"};

// In the order of Outcome::Kind, and of the enums that observations hold.
inline constexpr std::array<const char*, 4> kOutcomeNames{"trace", "crash", "timeout", "error"};

template <typename E>
using Names = std::array<const char*, static_cast<size_t>(E::kCount_)>;
inline constexpr Names<Item> NamesOf(Item) {
  return {"missing", "int", "enum", "indexable", "none", "other"};
}
inline constexpr Names<CodeIn> NamesOf(CodeIn) { return {"null", "file", "anonymous", "no code"}; }
inline constexpr Names<TableForm> NamesOf(TableForm) {
  return {"missing", "no capsule", "other name", "table", "unknown"};
}
template <typename T>
concept Named = requires(T value) {
  NamesOf(value);
};

/// Observations that are fields of others.
template <typename T>
concept Nested = std::same_as<T, Raised> || std::same_as<T, Made> || std::same_as<T, Inspected>;

/// Bytes, written as hex; a plain string is text.
template <typename T>
struct Hex {
  T& bytes;
};
template <typename T>
Hex(T&) -> Hex<T>;

// ---- The fields of each type. V is Writer or Reader.
template <class V>
void Fields(V& v, auto& x, const NotPerformed*) {
  v("reason", x.reason);
}
template <class V>
void Fields(V&, auto&, const Done*) {}
template <class V>
void Fields(V& v, auto& x, const Unsupported*) {
  v("reason", x.reason);
}
template <class V>
void Fields(V& v, auto& x, const AdapterFault*) {
  v("text", x.text);
}
template <class V>
void Fields(V& v, auto& x, const Raised*) {
  v("class", x.type), v("bases", x.bases), v("message", x.message);
}
template <class V>
void Fields(V& v, auto& x, const Made*) {
  v("given", x.given), v("description", x.description), v("pointer", x.pointer);
  v("read_only", x.read_only), v("device", x.device), v("shape", x.shape);
  v("allocation", x.allocation), v("values", Hex{x.values});
}
template <class V>
void Fields(V& v, auto& x, const Probed*) {
  v("type_has_dlpack", x.type_has_dlpack), v("type_has_device", x.type_has_device);
  v("instance_has_dlpack", x.instance_has_dlpack);
  v("instance_has_device", x.instance_has_device);
}
template <class V>
void Fields(V& v, auto& x, const DeviceAnswer*) {
  v("is_tuple", x.is_tuple), v("size", x.size), v("type_kind", x.type_kind);
  v("id_kind", x.id_kind), v("device_type", x.type), v("device_id", x.id), v("repr", x.repr);
  v("calls", x.calls), v("differing", x.differing);
}
template <class V>
void Fields(V& v, auto& x, const Exported*) {
  v("is_capsule", x.is_capsule), v("type_name", x.type_name), v("name", x.name);
  v("name_pointer", x.name_pointer), v("managed", x.managed);
  v("has_destructor", x.has_destructor);
  v("emulated_capsule", x.emulated_capsule), v("waits", x.waits);
}
template <class V>
void Fields(V& v, auto& x, const Inspected*) {
  v("versioned", x.versioned), v("raw", Hex{x.raw}), v("shape", x.shape);
  v("strides", x.strides), v("shape_readable", x.shape_readable);
  v("strides_readable", x.strides_readable), v("deleter_executable", x.deleter_executable);
}
template <class V>
void Fields(V& v, auto& x, const Elements*) {
  v("first", x.first), v("low", x.low), v("high", x.high), v("readable", x.readable);
  v("bytes", Hex{x.bytes});
}
template <class V>
void Fields(V& v, auto& x, const Dropped*) {
  v("threw", x.threw), v("left_exception", x.left_exception);
  v("lost_exception", x.lost_exception), v("unraisable", x.unraisable);
  v("without_lock", x.without_lock);
}
template <class V>
void Fields(V& v, auto& x, const Counted*) {
  v("value", x.value), v("same_pointer", x.same_pointer);
}
template <class V>
void Fields(V& v, auto& x, const Many*) {
  v("tried", x.tried), v("capsules", x.capsules), v("distinct_capsules", x.distinct_capsules);
  v("distinct_managed", x.distinct_managed);
  v("distinct_name_pointers", x.distinct_name_pointers), v("differing", x.differing),
      v("names", x.names);
  v("first_error", x.first_error);
  v("heap_growth", x.heap_growth), v("object_growth", x.object_growth);
}
template <class V>
void Fields(V& v, auto& x, const TableSeen*) {
  v("on_type", x.on_type), v("on_instance", x.on_instance), v("on_subclass", x.on_subclass);
  v("old_name", x.old_name), v("found", x.found), v("address", x.address);
  v("readable", x.readable), v("major", x.major), v("minor", x.minor), v("chain", x.chain);
  v("chain_ends", x.chain_ends), v("functions", x.functions);
}
template <class V>
void Fields(V& v, auto& x, const TableCall*) {
  v("code", x.code), v("threw", x.threw), v("raised", x.raised);
  v("out_written", x.out_written), v("out", x.out), v("set_errors", x.set_errors);
  v("error", x.error), v("tensor", x.tensor), v("writable", x.writable), v("made", x.made);
  v("same_type", x.same_type), v("heap_growth", x.heap_growth);
}

template <class V>
void Fields(V& v, auto& x, const Ended*) {
  v("stage", x.stage), v("how", x.how);
}

}  // namespace dlpc

#endif  // DLPC_HARNESS_REPORT_TRACE_FIELDS_H_
