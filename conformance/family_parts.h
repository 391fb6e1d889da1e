// What the families of scripts are put together from.
#ifndef DLPC_CONFORMANCE_FAMILY_PARTS_H_
#define DLPC_CONFORMANCE_FAMILY_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue.h"
#include "conformance/families.h"

namespace dlpc {

/// How an export is asked for: without max_version, or with the newest that is released.
struct Path {
  const char* name;  // "legacy", "versioned"
  Request request;
  uint32_t tag;
};
const std::vector<Path>& Paths();

/// float32, shape (2, 3), C-contiguous, writable.
ArraySpec PlainSpec(Memory memory = Memory::kCpu);

/// Tags that follow from the array alone.
uint32_t LayoutTags(const ArraySpec& spec);

/// A layout of Layouts() by its name; catalogue_test checks that every name used exists.
const Layout& LayoutNamed(std::string_view name);

/// The ways to give copy.
struct CopyArg {
  const char* name;
  Arg arg;
  bool value;
  uint32_t tag;
};
inline constexpr CopyArg kCopyAbsent{"copy-absent", Arg::kAbsent, false, kTagCopyAbsent};
inline constexpr CopyArg kCopyNone{"copy-none", Arg::kNone, false, kTagCopyNone};
inline constexpr CopyArg kCopyTrue{"copy-true", Arg::kValue, true, kTagCopyTrue};
inline constexpr CopyArg kCopyFalse{"copy-false", Arg::kValue, false, kTagCopyFalse};
inline constexpr CopyArg kCopyArgs[] = {kCopyAbsent, kCopyNone, kCopyTrue, kCopyFalse};

Request WithCopy(Request request, const CopyArg& copy);
Request WithDevice(Request request, DLDevice device);

/// Export 0 is the call; where the keyword has a value, export 1 is the same call without it.
Script WithControl(Request request, Arg Request::*keyword);

/// A consumer takes export 0, calls its deleter and then drops the capsule. What dropping export 1,
/// which nobody took, does to its counting deleter tells whether destructors go through that field.
ScriptBuilder ReleaseThenDropSteps(ScriptBuilder b, const Request& request);

/// One script for each path: `steps(builder, request)` adds to a script that made the array.
template <typename Steps>
Family BothPaths(const std::string& name, const ArraySpec& spec, Steps steps) {
  Family family;
  for (const Path& path : Paths()) {
    family.push_back({name + "/" + path.name, steps(ScriptBuilder(spec), path.request).Build(),
                      LayoutTags(spec) | path.tag | kTagCopyAbsent});
  }
  return family;
}

/// The same scripts with kTagApart.
Family CountedApart(Family family);

template <typename Steps>
Family BothPaths(const std::string& name, Steps steps) {
  return BothPaths(name, PlainSpec(), steps);
}

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FAMILY_PARTS_H_
