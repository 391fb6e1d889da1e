#include "conformance/register.h"

#include <algorithm>
#include <vector>

namespace dlpc {
namespace {

std::vector<RequirementRow> Join() {
  std::vector<RequirementRow> rows;
  for (const auto area : {DevRows, ProtoRows, CapRows, AbiRows, DtRows, ShapeRows, MemRows,
                          CopyRows, StreamRows, VerRows, ErrRows, XapiRows}) {
    const auto more = area();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace

std::span<const RequirementRow> Register() {
  static const std::vector<RequirementRow> rows = Join();
  return rows;
}

const RequirementRow* FindRequirement(std::string_view id) {
  const auto rows = Register();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [id](const auto& r) { return r.id == id; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace dlpc
