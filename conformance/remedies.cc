#include "conformance/remedies.h"

#include <cctype>

#include "conformance/family_parts.h"
#include "conformance/leaks.h"
#include "conformance/places.h"

namespace dlpc {
namespace {

constexpr const char* kHost = "host round trip: numpy.asarray(x), or the library's own copy to it";

// ---- Scripts

// A call that many producers refuse, and the one that helps; the same request twice: only the host
// round trip does.
struct Situation {
  std::string name;
  ArraySpec spec;
  Request refused;
  Request remedy;
};

ArraySpec ReadOnlySpec() {
  ArraySpec spec = PlainSpec();
  spec.flags = kReadOnly;
  return spec;
}

Request Versioned() { return WithVersion(1, 3); }

Request WithStream(Request request, int64_t stream) {
  request.stream = Arg::kValue;
  request.stream_value = stream;
  return request;
}

std::vector<Situation> CpuSituations() {
  const Request plain = Versioned();
  const Request no_device = WithDevice(plain, {static_cast<DLDeviceType>(99), 0});
  const Request cuda = WithDevice(plain, {kDLCUDA, 0});
  return {
      {"read-only/copy", ReadOnlySpec(), {}, WithCopy({}, kCopyTrue)},
      {"read-only/versioned", ReadOnlySpec(), {}, plain},
      {"device-99/without", PlainSpec(), no_device, plain},
      {"device-99/cpu", PlainSpec(), no_device, WithDevice(plain, {kDLCPU, 0})},
      {"cuda/without", PlainSpec(), cuda, plain},
      {"cuda/cpu-copy", PlainSpec(), cuda, WithCopy(WithDevice(plain, {kDLCPU, 0}), kCopyTrue)},
      {"stream/none", PlainSpec(), WithStream(plain, 12345), plain},
      {"old-version/newer", PlainSpec(), WithVersion(0, 4), plain},
  };
}

// Plain exports at places that may have no device type, copies to the CPU that are forbidden, and
// the other memory type of a device.
void AddPlace(std::string_view name, const ArraySpec& spec, bool whole,
              std::vector<Situation>& all) {
  const Request plain = Versioned();
  const Request cpu = WithDevice(plain, {kDLCPU, 0});
  const std::string prefix = "place/" + std::string(name);
  all.push_back({prefix + "/plain", spec, plain, whole ? cpu : plain});
  if (!whole) return;
  all.push_back({prefix + "/cpu-copy-false", spec, WithCopy(cpu, kCopyFalse), cpu});
  const Request other = WithDevice(plain, {kDLHexagon, 0});
  all.push_back({prefix + "/hexagon", spec, other, WithCopy(cpu, kCopyTrue)});
}

Script ScriptOf(const Situation& s, const Request& refused, const Request& remedy, bool call) {
  ScriptBuilder builder(s.spec);
  builder.ReadOwn().Device().Export(refused, 0).ReadOwn();
  if (call) builder.Export(remedy, 1).Inspect(1).Read(1);
  if (call && remedy.copy == Arg::kValue) builder.Make(1, s.spec).Export(remedy, 2, 1);  // Control.
  return builder.Build();
}

bool SameRequest(const Request& a, const Request& b) { return RequestText(a) == RequestText(b); }

Family MakeRemedies() {
  std::vector<Situation> situations = CpuSituations();
  for (const EmulatedPlace& place : EmulatedPlaces()) {
    ArraySpec spec = PlainSpec(place.memory);
    spec.place = place.place;
    spec.flags = place.flags;
    AddPlace(place.name, spec, place.flags == 0 && place.place != Place::kReplicated, situations);
  }
  Family family;
  for (const Situation& s : situations) {
    family.push_back({"remedy/" + s.name,
                      ScriptOf(s, s.refused, s.remedy, !SameRequest(s.refused, s.remedy)),
                      kTagElements | kTagRank | kTagContiguous});
  }
  return family;
}

// ---- Texts

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// By what the adapter calls the object.
struct ObjectRemedy {
  std::string_view word;
  const char* text;
};
constexpr ObjectRemedy kObjectRemedies[] = {
    {"grad", "x.detach()"},
    {"conjugate", "a resolved copy, e.g. x.resolve_conj()"},
    {"negative bit", "a resolved copy, e.g. x.resolve_neg()"},
    {"computation fails", "nothing: there are no data"},
    {"unevaluated", "evaluate the array first"},
    {"traced", "nothing: there are no data before the function runs"},
    {"abstract", "nothing: there are no data"},
    {"fake", "nothing: there are no data"},
    {"meta", "nothing: there are no data"},
    {"deleted", "nothing: the data are gone; export before deleting"},
    {"donated", "nothing: the data are gone; export before donating"},
    {"sparse", "a dense copy, e.g. x.to_dense()"},
    {"nested", "one export for each of the nested arrays, or a padded copy"},
    {"ragged", "one export for each row, or a padded copy"},
    {"shard", kHost},
    {"distributed", kHost},
    {"byte-swapped", "a copy in native byte order"},
    {"byte order", "a copy in native byte order"},
    {"stride", "contiguous copy: copy=True, or numpy.ascontiguousarray(x)"},
    {"null", "fill the missing values first"},
    {"mask", "fill the missing values first"},
    {"missing", "fill the missing values first"},
    {"quantized", "a dequantized copy"},
    {"bit-packed", "a copy with one byte for each element"},
};

std::string ObjectText(const Made& made) {
  const std::string name = Lower(made.description);
  for (const ObjectRemedy& row : kObjectRemedies) {
    if (name.find(row.word) != std::string::npos) return row.text;
  }
  return "a copy in a type that DLPack has";
}

bool IsCpuDevice(const Request& r) {
  return r.device == Arg::kValue && r.dl_device.device_type == kDLCPU;
}

// What the call asks for and could leave out.
std::string CallText(const Request& r, const ArraySpec* spec) {
  if (r.version == Arg::kOdd || r.copy == Arg::kOdd || r.device == Arg::kOdd ||
      r.stream == Arg::kOdd || r.extra != Extra::kNone) {
    return "arguments as the array API has them";
  }
  if (r.copy == Arg::kValue && !r.copy_value) return "copy=None, or copy=True";
  if (spec != nullptr && (spec->flags & kReadOnly) && AsksLegacy(r)) {
    return "copy=True, or max_version=(1, 0) and newer, which can say read-only";
  }
  if (spec != nullptr && (spec->flags & kOddStride)) {
    return "contiguous copy: copy=True, or numpy.ascontiguousarray(x)";
  }
  if (r.stream == Arg::kValue) return "stream=None";
  if ((r.device == Arg::kValue || r.device == Arg::kOwn) && !IsCpuDevice(r)) {
    return "leave dl_device out, or ask for the CPU: dl_device=(1, 0)";
  }
  if (r.version == Arg::kValue && r.max_version.major == 0) return "max_version=(1, 0) or newer";
  return {};
}

// An ordinary call: it is where the array is that cannot be said.
std::string PlaceText(const ArraySpec& spec) {
  const bool spread = (spec.flags & kSharded) != 0 || spec.place == Place::kReplicated;
  if (spread) return std::string(kHost) + ", which gathers the parts";
  if (spec.memory == Memory::kTpu || spec.memory == Memory::kTpuUnpinned) {
    constexpr const char* kOther = "another memory kind: put the array into pinned_host; or ";
    return std::string(kOther) + "dl_device=(1, 0); or " + kHost;
  }
  return std::string("dl_device=(1, 0), or ") + kHost;
}

}  // namespace

const Family& Remedies() {
  static const Family family = MakeRemedies();
  return family;
}

std::string RemedyText(const Evidence& e) {
  for (int nth = 0; nth < kExportSlots; ++nth) {
    if (e.refusal(nth) == nullptr) continue;
    if (const Made* made = e.As<Made>(Op::kMakeRefusal)) {
      const Made* remedied = e.As<Made>(Op::kDerive);
      return remedied != nullptr ? remedied->description : ObjectText(*made);
    }
    const ArraySpec* spec = e.made() == nullptr ? nullptr : &e.spec();
    std::string text = CallText(e.RequestOf(nth), spec);
    const Request& r = e.RequestOf(nth);
    const bool by_call = r.copy == Arg::kValue || r.copy == Arg::kOdd || r.device == Arg::kOdd;
    if (spec != nullptr && !by_call && e.As<Raised>(Op::kDevice)) return PlaceText(*spec);
    if (!text.empty()) return text;
    return spec == nullptr ? kHost : PlaceText(*spec);
  }
  return {};
}

namespace {

// ERR-12
Verdict JudgeNoAddress(const Evidence& e) {
  const Wording expected = "no address and no path of a source file in the message";
  const Raised* raised = e.refusal();
  if (raised == nullptr) raised = e.As<Raised>(Op::kDevice);
  if (raised == nullptr) return NotApplicable(expected, e.Text(Op::kExport));
  const Made* object = e.As<Made>(Op::kMakeRefusal);
  if (object != nullptr && Lower(object->description).find("traced") != std::string::npos) {
    return NotApplicable(expected, "a tracer's message tells where the user's function is");
  }
  return PassIf(!HasLeak(raised->message), expected, Say(ObservationText, *raised));
}

// ERR-13. Read-own 0 is before the refusal, 1 after it; export 1 is the way out, export 2 the same
// with copy=True for an array that was never refused: whether copies are made at all is COPY-03's.
Verdict JudgeRemedy(const Evidence& e) {
  const Wording expected = Say("after the refusal the array's values by: {}", Say(RemedyText, e));
  if (e.refusal(0) == nullptr) return NotApplicable(expected, "served: " + e.Text(Op::kExport));
  const std::string* values = e.OwnValues();
  if (values == nullptr) return NotApplicable(expected, "what the elements are is not known");
  const Elements* host = e.As<Elements>(Op::kReadOwn, 1);
  if (host != nullptr && host->bytes != *values) {
    return Fail(expected,
                "host round trip: " + FirstDifference(host->bytes, *values, e.ItemBytes()));
  }
  if (e.As<NotPerformed>(Op::kExport, 1) != nullptr) {  // No such step.
    if (host == nullptr) return NotApplicable(expected, e.Text(Op::kReadOwn, 1));
    return Pass(expected, e.Text(Op::kExport) + "; the host round trip gives the values");
  }
  const Wording call = Say(RequestText, e.RequestOf(1));
  if (const Raised* raised = e.refusal(1)) {
    if (e.refusal(2) != nullptr) {
      return NotApplicable(expected, "copies are refused anyway: " + e.Text(Op::kExport, 2));
    }
    return Fail(expected, Say("{}: {}", call, Say(ObservationText, *raised)));
  }
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr) return NotApplicable(expected, e.Text(Op::kRead));
  const bool right = read->bytes == *values;
  return PassIf(right, expected,
                right ? Say("{}; {} gives the values", e.Text(Op::kExport), call)
                      : call + ": " + FirstDifference(read->bytes, *values, e.ItemBytes()));
}

// ERR-13, for objects. Array 1, export 1 and read 1 are those of what the adapter's remedy gave.
Verdict JudgeObjectRemedy(const Evidence& e) {
  Wording expected = "a way around the refusal of the object";
  if (e.refusal(0) == nullptr) return NotApplicable(expected, "not refused");
  expected = "after the refusal the object's values by: " + Say(RemedyText, e);
  if (e.As<AdapterFault>(Op::kDerive) != nullptr) {
    return {CaseStatus::kError, expected, e.Text(Op::kDerive)};
  }
  if (e.As<Raised>(Op::kDerive) != nullptr) return Fail(expected, e.Text(Op::kDerive));
  const Made* remedied = e.As<Made>(Op::kDerive);
  if (remedied == nullptr) return NotApplicable(expected, e.Text(Op::kDerive));
  const bool legacy = e.RequestOf(1).version == Arg::kAbsent;
  if (e.refusal(1) != nullptr && legacy && remedied->read_only.value_or(false)) {
    return NotApplicable(expected, "read-only, which the legacy struct cannot say (COPY-13)");
  }
  if (e.refusal(1) != nullptr) return Fail(expected, "refused, too: " + e.Text(Op::kExport, 1));
  const Elements* read = e.As<Elements>(Op::kRead, 1);
  if (read == nullptr) return NotApplicable(expected, e.Text(Op::kRead, 1));
  const bool right = read->readable && read->bytes == remedied->values;
  return PassIf(right, expected,
                right ? e.Text(Op::kExport) + "; then its values"
                      : FirstDifference(read->bytes, remedied->values, 4));
}

constexpr Check kRemediesChecks[] = {
    {"ERR-12", Inexpressible, 0, 0, JudgeNoAddress},
    {"ERR-12", Places, 0, 0, JudgeNoAddress},
    {"ERR-12", OddArguments, 0, 0, JudgeNoAddress},
    {"ERR-12", Remedies, 0, 0, JudgeNoAddress},
    {"ERR-13", Remedies, 0, 0, JudgeRemedy},
    {"ERR-13", Inexpressible, 0, 0, JudgeObjectRemedy},
};

}  // namespace

std::span<const Check> RemedyChecks() { return kRemediesChecks; }

}  // namespace dlpc
