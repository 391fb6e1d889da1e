#include "conformance/xapi_parts.h"

namespace dlpc {

const TableCall* Call(const Evidence& e, Op op, int nth) {
  const TableCall* call = e.As<TableCall>(op, nth);
  return call != nullptr && !call->threw ? call : nullptr;
}

Wording WhyNoCall(const Evidence& e, Op op, int nth) {
  const bool threw = e.As<TableCall>(op, nth) != nullptr;
  return e.Text(op, nth) + (threw ? " (see XAPI-13)" : "");
}

bool Gave(const TableCall& call) { return call.code == 0 && call.out_written && call.out != 0; }

const Inspected* VersionedTensor(const Evidence& e, int nth) {
  const Inspected* seen = e.tensor(nth);
  return seen != nullptr && seen->versioned ? seen : nullptr;
}

const char* WrongStruct(const Inspected& in, bool versioned) {
  const DLPackVersion v = VersionOf(in);
  if (versioned && (v.major != 1 || v.minor < 2)) return "declares a version below 1.2";
  const DLTensor t = TensorOf(in);
  return t.ndim > 0 && t.strides == nullptr ? "has NULL strides" : nullptr;
}

}  // namespace dlpc
