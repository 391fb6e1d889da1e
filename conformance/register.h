// The requirement register: every producer rule with its source. Pure data; cases and judges live
// in one file per area beside it (dev.cc, cap.cc, ...), keyed by the same ids.
#ifndef DLPC_CONFORMANCE_REGISTER_H_
#define DLPC_CONFORMANCE_REGISTER_H_

#include <span>
#include <string_view>

#include "harness/results.h"

namespace dlpc {

/// One rule. Strings are plain UTF-8 text, no line breaks, no markup: writers must escape
/// (__dlpack__ is bold in Markdown).
struct RequirementRow {
  std::string_view id;     // "SHAPE-06"; stable, never reused.
  Level level;             // By the rule in docs/levels.md.
  std::string_view title;  // What is demanded, one sentence, own words.
  std::string_view
      citation;  // "dlpack.h 1.3, DLTensor.strides"; "array API 2025.12, __dlpack__, copy".
  std::string_view since;           // "v1.2", "2023.12"
  std::string_view until = {};      // Empty: still in force.
  std::string_view contested = {};  // "C-7: who says what", empty if the sources agree.
  std::string_view checked;         // How the suite checks it, one or two sentences.
  std::string_view remedy;          // What a maintainer should do about a failure.
};

/// All rows in register order: DEV, PROTO, CAP, ABI, DT, SHAPE, MEM, COPY, STREAM, VER, ERR, XAPI.
std::span<const RequirementRow> Register();

const RequirementRow* FindRequirement(std::string_view id);

// The rows of each area, one file each (register_dev.cc, ...); Register() joins them.
std::span<const RequirementRow> DevRows();
std::span<const RequirementRow> ProtoRows();
std::span<const RequirementRow> CapRows();
std::span<const RequirementRow> AbiRows();
std::span<const RequirementRow> DtRows();
std::span<const RequirementRow> ShapeRows();
std::span<const RequirementRow> MemRows();
std::span<const RequirementRow> CopyRows();
std::span<const RequirementRow> StreamRows();
std::span<const RequirementRow> VerRows();
std::span<const RequirementRow> ErrRows();
std::span<const RequirementRow> XapiRows();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REGISTER_H_
