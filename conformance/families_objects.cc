// Scripts for the objects that DLPack cannot express: an adapter's refusals().
#include <fmt/format.h>

#include "conformance/families.h"
#include "conformance/family_parts.h"

namespace dlpc {
namespace {

constexpr uint32_t kMaxRefusals = 16;  // Of refusals() this many are tried.

Family MakeInexpressible() {
  Family f;
  for (uint32_t n = 0; n < kMaxRefusals; ++n) {
    for (const Path& path : Paths()) {
      f.push_back({fmt::format("inexpressible/{}/{}", n, path.name),
                   ScriptBuilder()
                       .MakeRefusal(0, n)
                       .Device()
                       .Export(path.request)
                       .Inspect()
                       .Read()
                       .ReadOwn()
                       .Derive(Derived::kRemedied, 1)
                       .Export(path.request, 1, 1)
                       .Inspect(1)
                       .Read(1)
                       .Build(),
                   path.tag});
    }
  }
  return f;
}

}  // namespace

const Family& Inexpressible() {
  static const Family family = MakeInexpressible();
  return family;
}

}  // namespace dlpc
