#include "conformance/family_parts.h"

#include "reference/contract.h"

namespace dlpc {

const std::vector<Path>& Paths() {
  static const std::vector<Path> paths = {{"legacy", Request{}, kTagLegacy},
                                          {"versioned", WithVersion(1, 3), kTagVersioned}};
  return paths;
}

ArraySpec PlainSpec(Memory memory) {
  ArraySpec spec;
  spec.layout = Contiguous({2, 3});
  spec.memory = memory;
  return spec;
}

uint32_t LayoutTags(const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  uint32_t tags = 0;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] == 1) tags |= kTagUnitAxis;
    if (view.shape[i] > 1 && view.strides[i] < 0) tags |= kTagNegative;
    if (view.shape[i] > 1 && view.strides[i] == 0) tags |= kTagBroadcast;
  }
  tags |= view.elements == 0 ? kTagEmpty : kTagElements;
  tags |= view.shape.empty() ? kTagScalar : kTagRank;
  if (view.offset != 0) tags |= kTagOffset;
  if (IsContiguous(view.shape, view.strides)) tags |= kTagContiguous;
  if (spec.memory == Memory::kCpu) tags |= kTagPlainCpu;
  if (spec.flags & kReadOnly) tags |= kTagReadOnly;
  return tags;
}

const Layout& LayoutNamed(std::string_view name) {
  for (const NamedLayout& layout : Layouts()) {
    if (layout.name == name) return layout.layout;
  }
  return Layouts().front().layout;
}

Family CountedApart(Family family) {
  for (NamedScript& script : family) script.tags |= kTagApart;
  return family;
}

Request WithCopy(Request request, const CopyArg& copy) {
  request.copy = copy.arg;
  request.copy_value = copy.value;
  return request;
}

Request WithDevice(Request request, DLDevice device) {
  request.device = Arg::kValue;
  request.dl_device = device;
  return request;
}

ScriptBuilder ReleaseThenDropSteps(ScriptBuilder b, const Request& request) {
  return b.Export(request, 1)
      .Interpose(1)
      .DropCapsule(1)
      .DeleterCalls(1)
      .Export(request)
      .Interpose()
      .Rename(Name::kUsed)
      .CallDeleter()
      .DropCapsule()
      .DeleterCalls();
}

}  // namespace dlpc
