#include "conformance/variants.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "conformance/family_parts.h"
#include "conformance/random_arrays.h"
#include "harness/input_reader.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr uint32_t kLayoutTags = kTagNegative | kTagBroadcast | kTagUnitAxis | kTagEmpty |
                                 kTagScalar | kTagOffset | kTagElements | kTagRank |
                                 kTagContiguous | kTagReadOnly;

// ---- Arrays -------------------------------------------------------------------------------------

bool AllAlike(const std::vector<ArraySpec>& specs) {
  return std::all_of(specs.begin(), specs.end(),
                     [&](const ArraySpec& s) { return s.layout == specs[0].layout; });
}

// Where elements are packed, the judges speak of the layouts of the catalogue.
bool IsPacked(const ArraySpec& spec) {
  const DTypeRow* row = FindDType(spec.dtype);
  return row != nullptr && !row->byte_sized;
}

// Many a library's broadcast arrays are read-only.
void DropBroadcasts(Layout& layout) {
  for (Axis& axis : layout.axes) {
    if (axis.step == 0) axis = {1, 0, 1, 1};
  }
}

void VaryArrays(InputReader& reader, const Choices& choices, Arrays arrays, bool may_be_read_only,
                Script& script) {
  std::vector<ArraySpec>& specs = script.specs;
  if (specs.empty()) return;
  const auto knobs = reader.Take<uint8_t>();
  if ((knobs & 3) != 0 && AllAlike(specs) && !IsPacked(specs[0])) {
    Layout& layout = specs[0].layout;
    if (arrays == Arrays::kKnown) {
      layout = TakeKnownLayout(reader);
    } else {
      layout = TakeLayout(reader);
    }
    if (!may_be_read_only) DropBroadcasts(layout);
    for (size_t i = 1; i < specs.size(); ++i) specs[i].layout = layout;
  }
  const bool one = std::all_of(specs.begin(), specs.end(),
                               [&](const ArraySpec& s) { return s.dtype == specs[0].dtype; });
  if ((knobs & 12) != 0 && one) {
    const DLDataType dtype = TakeDType(reader, choices.dtypes, specs[0].dtype);
    for (ArraySpec& spec : specs) spec.dtype = dtype;
  }
  if ((knobs & 0xE0) == 0xE0 && specs[0].flags == 0 && may_be_read_only) {
    for (ArraySpec& spec : specs) spec.flags = kReadOnly;
  }
  for (ArraySpec& spec : specs) Normalize(spec);
}

// ---- Arguments ----------------------------------------------------------------------------------

Arg TakeArg(InputReader& reader) {
  constexpr Arg kArgs[] = {Arg::kAbsent, Arg::kValue, Arg::kNone, Arg::kValue};
  return kArgs[reader.Take<uint8_t>() % std::size(kArgs)];
}

// Any legal call.
Request TakeRequest(InputReader& reader) {
  Request r;
  r.version = TakeArg(reader);
  if (r.version == Arg::kValue) {
    r.max_version = {reader.Take<uint8_t>() % 4u, reader.Take<uint8_t>() % 16u};
  }
  r.copy = TakeArg(reader);
  r.copy_value = r.copy == Arg::kValue && (reader.Take<uint8_t>() & 1) != 0;
  r.device = TakeArg(reader);
  if (r.device == Arg::kNone && (reader.Take<uint8_t>() & 1) != 0) r.device = Arg::kOwn;
  if (r.device == Arg::kValue) {
    const auto type = reader.Take<uint8_t>();
    r.dl_device = {static_cast<DLDeviceType>(type < 128 ? 1 : type % 24),
                   reader.Take<uint8_t>() % 3};
  }
  r.stream = TakeArg(reader);
  if (r.stream == Arg::kValue) r.stream_value = reader.Take<uint8_t>() % 8 - 3;
  return r;
}

// The steps that WithControl gives, made of some that it gave.
void PutRequest(const Request& request, std::vector<Step>& steps) {
  constexpr size_t kCall = 1;  // Behind kMake; then the control.
  steps.resize(kCall + 1);
  steps[kCall].request = request;
  if (request.stream != Arg::kValue) return;
  Step control = steps[kCall];
  control.request.stream = Arg::kAbsent;
  steps.push_back(control);
}

// A consumer with a newer minor version than the one of the catalogue; max_version=None said.
void VaryVersion(InputReader& reader, Script& script) {
  const auto minor = reader.Take<uint8_t>();
  for (Step& step : script.steps) {
    Request& r = step.request;
    if (r.version == Arg::kAbsent && minor % 2 == 1) r.version = Arg::kNone;
    if (r.version == Arg::kValue && r.max_version.major == 1 && r.max_version.minor == 3) {
      r.max_version.minor = 3 + minor % 32;
    }
  }
}

uint32_t PathTag(const Request& r) { return AsksLegacy(r) ? kTagLegacy : kTagVersioned; }

// Tags that follow from what was varied.
uint32_t TagsOf(const Template& origin, const Script& script) {
  uint32_t tags = origin.script->tags;
  const auto& specs = origin.script->script.specs;
  const bool varied = !specs.empty() && !script.specs.empty() && !(specs[0] == script.specs[0]);
  if (varied && (tags & (kTagElements | kTagEmpty)) != 0) {
    tags = (tags & ~kLayoutTags) | (LayoutTags(script.specs[0]) & kLayoutTags);
  }
  if (origin.negotiation) {
    for (const Step& step : script.steps) {
      if (step.op != Op::kExport) continue;
      return (tags & ~(kTagLegacy | kTagVersioned)) | PathTag(step.request);
    }
  }
  return tags;
}

Case CaseOf(const Variant& variant, const TemplateCheck& each) {
  return {"", each.requirement, &variant.script, each.check.judge};
}

bool IsReported(CaseStatus status) { return IsBad(status) || status == CaseStatus::kError; }

// All but the script, which is there; `varied`: it may be another than the template's.
void Complete(const Template& origin, bool varied, Variant& variant) {
  if (variant.origin != &origin) variant.script.name = origin.script->name;
  variant.origin = &origin;
  variant.script.tags = origin.script->tags;
  if (!varied) {
    variant.checks = origin.picked;
    return;
  }
  variant.script.tags = TagsOf(origin, variant.script.script);
  variant.checks.clear();
  variant.checks.reserve(origin.checks.size());
  for (const TemplateCheck& each : origin.checks) {
    if (each.check.Picks(variant.script)) variant.checks.push_back(&each);
  }
}

}  // namespace

bool MakeWritesVisible(Script& script) {
  constexpr uint32_t kTries = 8;
  if (script.specs.size() != 1) return true;
  const DLDataType dtype = script.specs[0].dtype;
  const auto element = [dtype](int64_t n) {
    std::string bytes(ElementBytes(dtype), '\0');
    PatternElement(dtype, n, reinterpret_cast<uint8_t*>(bytes.data()));
    return bytes;
  };
  std::set<std::string> seen;
  for (Step& step : script.steps) {
    if (step.op != Op::kWrite && step.op != Op::kPoke) continue;
    if (seen.empty()) seen.insert(element(Resolve(script.specs[0].layout).offset));
    const uint32_t last = step.n + kTries;
    while (!seen.insert(element(step.n)).second) {
      if (++step.n == last) return false;
    }
  }
  return true;
}

Variant VariantOf(const Template& origin, Script script) {
  Variant variant;
  variant.script.script = std::move(script);
  Complete(origin, true, variant);
  return variant;
}

Share ShareOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0;
  InputReader reader(bytes);
  for (size_t at = 0; at < bytes.size(); at += sizeof hash) {
    hash = (hash ^ reader.Take<uint64_t>()) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  if (hash % 64 == 63) return Share::kSlow;
  if (hash % 16 == 7) return Share::kDear;
  return (hash >> 8) % 8 < 5 ? Share::kBrief : Share::kQuick;
}

Variant DecodeVariant(std::span<const uint8_t> bytes, const Choices& choices, Arrays arrays) {
  Variant variant;
  DecodeVariant(bytes, choices, arrays, variant);
  return variant;
}

void DecodeVariant(std::span<const uint8_t> bytes, const Choices& choices, Arrays arrays,
                   Variant& variant) {
  InputReader reader(bytes);
  const auto which = reader.Take<uint16_t>();
  const auto knobs = reader.Take<uint8_t>();
  const auto& wanted = choices.Of(ShareOf(bytes));
  const auto& list = wanted.empty() ? choices.Of(Share::kQuick) : wanted;
  const Template& origin = *list[which % list.size()];
  // The catalogue is larger than the nearest caches: what is read last is fetched meanwhile.
  __builtin_prefetch(origin.script->script.steps.data());
  __builtin_prefetch(origin.checks.data());
  Script& script = variant.script.script;
  script = origin.script->script;
  if ((knobs & 1) != 0) VaryArrays(reader, choices, arrays, origin.may_be_read_only, script);
  if (origin.writes && !MakeWritesVisible(script)) script = origin.script->script;
  if ((knobs & 2) != 0) VaryVersion(reader, script);
  if ((knobs & 4) != 0 && origin.negotiation) PutRequest(TakeRequest(reader), script.steps);
  Complete(origin, (knobs & (origin.negotiation ? 7 : 3)) != 0, variant);
}

std::vector<Judged> BrokenChecks(const Variant& variant, const Outcome& outcome,
                                 const Claims* claims, uint64_t& judged, KnownValues* known) {
  CheckList bad;
  std::optional<WithoutWords> quiet(std::in_place);  // Nobody is told of what holds: nearly all.
  const ScriptJudge judge(variant.script, outcome, claims, known);
  if (judge.ForAll() && !IsReported(judge.ForAll()->status)) return {};
  judged += variant.checks.size();
  for (const TemplateCheck* each : variant.checks) {
    if (IsReported(judge(CaseOf(variant, *each)).status)) bad.push_back(each);
  }
  quiet.reset();
  std::vector<Judged> broken;
  if (bad.empty()) return broken;
  std::optional<ScriptJudge> worded;  // What it says itself was said without words.
  if (!judge.AsksJudges()) worded.emplace(variant.script, outcome, claims, known);
  for (const TemplateCheck* each : bad) {
    const Case c = CaseOf(variant, *each);
    broken.push_back({each->requirement, worded ? (*worded)(c) : judge(c)});
  }
  return broken;
}

}  // namespace dlpc
