#include "conformance/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/dtype.h"

namespace dlpc {
namespace {

const Observation kNoSuchStep = NotPerformed{"no such step"};

}  // namespace

Verdict Pass(Wording expected, Wording observed) {
  return {CaseStatus::kPass, std::move(expected), std::move(observed)};
}

Verdict Fail(Wording expected, Wording observed) {
  return {CaseStatus::kFail, std::move(expected), std::move(observed)};
}

Verdict NotApplicable(Wording expected, Wording reason) {
  return {CaseStatus::kNotApplicable, std::move(expected), std::move(reason)};
}

Verdict PassIf(bool holds, Wording expected, Wording observed) {
  return {holds ? CaseStatus::kPass : CaseStatus::kFail, std::move(expected), std::move(observed)};
}

const std::string& KnownValues::Of(const ArraySpec& spec) {
  uint64_t hash = spec.dtype.code | spec.dtype.bits << 8 | uint64_t{spec.dtype.lanes} << 16;
  for (const Axis& axis : spec.layout.axes) {
    hash = hash * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(axis.extent) +
           static_cast<uint64_t>(axis.start) * 8 + static_cast<uint64_t>(axis.count) * 64 +
           static_cast<uint64_t>(axis.step) * 512;
  }
  Entry& entry = entries_[(hash * 0x9E3779B97F4A7C15u >> 32) % entries_.size()];
  if (!entry.used || !(entry.spec == spec)) entry = {true, spec, PatternValues(spec)};
  return entry.values;
}

Evidence::Evidence(const Script& script, const Trace& trace, const Claims* claims,
                   KnownValues* known)
    : script_(script),
      trace_(trace),
      claims_(claims),
      known_(known),
      end_(script.steps.size()),
      observed_(std::min(end_, trace.steps.size())) {
  const auto end = static_cast<uint16_t>(end_);
  first_.fill(end);
  for (uint16_t i = end; i-- > 0;) first_[static_cast<size_t>(script.steps[i].op)] = i;
}

const Step* Evidence::Nth(Op op, int nth, size_t* index) const {
  for (size_t i = first_[static_cast<size_t>(op)]; i < script_.steps.size(); ++i) {
    if (script_.steps[i].op == op && nth-- == 0) {
      *index = i;
      return &script_.steps[i];
    }
  }
  return nullptr;
}

const Observation& Evidence::Later(Op op, int nth) const {
  size_t index = 0;
  if (Nth(op, nth, &index) == nullptr || index >= trace_.steps.size()) {
    return kNoSuchStep;
  }
  return trace_.steps[index];
}

const Request& Evidence::RequestOf(int nth) const {
  static const Request kNone;
  size_t index = 0;
  const Step* step = Nth(Op::kExport, nth, &index);
  return step == nullptr ? kNone : step->request;
}

const ArraySpec& Evidence::spec(int nth) const {
  static const ArraySpec kNone{};
  size_t index = 0;
  const Step* step = Nth(Op::kMake, nth, &index);
  if (step == nullptr || step->spec >= script_.specs.size()) return kNone;
  return script_.specs[step->spec];
}

namespace {

bool IsPlausible(const Inspected& inspected) {
  return !ImplausibleTensor(TensorOf(inspected)) &&
         !(inspected.versioned && ImplausibleHeader(VersionOf(inspected), FlagsOf(inspected)));
}

}  // namespace

const Inspected* Evidence::tensor(int nth) const {
  const Inspected* inspected = As<Inspected>(Op::kInspect, nth);
  if (inspected == nullptr) return nullptr;
  if (static_cast<size_t>(nth) >= plausible_.size()) {
    return IsPlausible(*inspected) ? inspected : nullptr;
  }
  std::optional<bool>& plausible = plausible_[static_cast<size_t>(nth)];
  if (!plausible) plausible = IsPlausible(*inspected);
  return *plausible ? inspected : nullptr;
}

Wording Evidence::WhyNoTensor(int nth) const {
  const Inspected* inspected = As<Inspected>(Op::kInspect, nth);
  if (inspected == nullptr) {
    if (const Raised* raised = refusal(nth))
      return "export refused: " + Say(ObservationText, *raised);
    return Text(Op::kInspect, nth);
  }
  if (auto why = ImplausibleTensor(TensorOf(*inspected))) {
    return "the struct is unreadable: " + *why;
  }
  if (auto why = ImplausibleHeader(VersionOf(*inspected), FlagsOf(*inspected))) {
    return "the struct is unreadable: " + *why;
  }
  return "";
}

bool Evidence::RefusedAsReadOnly(int nth) const {
  return AsksLegacy(RequestOf(nth)) && refusal(nth) != nullptr && made() != nullptr &&
         made()->read_only.value_or(made()->given);
}

std::optional<uint64_t> Evidence::OwnPointer(int nth) const {
  const Made* m = made(nth);
  return m == nullptr ? std::nullopt : m->pointer;
}

const std::string& Evidence::SpecValues() const {
  if (known_ != nullptr) return known_->Of(spec());
  if (!spec_values_) spec_values_ = PatternValues(spec());
  return *spec_values_;
}

const std::string* Evidence::OwnValues() const {
  if (const Elements* own = As<Elements>(Op::kReadOwn)) return &own->bytes;
  const Made* m = made();
  return m == nullptr || m->given ? nullptr : &SpecValues();
}

const Extents* Evidence::OwnShape() const {
  const Made* m = made();
  if (m == nullptr) return nullptr;
  if (m->shape) return &*m->shape;
  if (m->given) return nullptr;
  if (!spec_shape_) spec_shape_ = Resolve(spec().layout).shape;
  return &*spec_shape_;
}

size_t Evidence::ItemBytes() const {
  const Made* m = made();
  if (m == nullptr || !m->given) return ElementBytes(spec().dtype);
  for (int nth = 0; nth < kExportSlots; ++nth) {
    if (const Inspected* seen = tensor(nth)) return ElementBytes(TensorOf(*seen).dtype);
  }
  return 1;
}

bool Evidence::AdapterMadeOtherValues() const {
  const Made* m = made();
  if (m == nullptr || m->given) return false;
  // Only a read before the first write tells what was made.
  size_t own = 0, write = 0, poke = 0;
  if (Nth(Op::kReadOwn, 0, &own) == nullptr) return false;
  if (Nth(Op::kWrite, 0, &write) != nullptr && write < own) return false;
  if (Nth(Op::kPoke, 0, &poke) != nullptr && poke < own) return false;
  const Elements* read = As<Elements>(Op::kReadOwn);
  return read != nullptr && read->bytes != SpecValues();
}

std::string WrittenElement(const Evidence& e) {
  const Inspected* seen = e.tensor();
  const DLDataType dtype = seen != nullptr ? TensorOf(*seen).dtype : e.spec().dtype;
  std::string element(ElementBytes(dtype), '\0');
  PatternElement(dtype, e.StepOf(Op::kWrite)->n, reinterpret_cast<uint8_t*>(element.data()));
  return element;
}

bool AsksLegacy(const Request& request) {
  return request.version != Arg::kValue || request.max_version.major == 0;
}

Kind KindOf(const Observation& observation) {
  const Exported* exported = std::get_if<Exported>(&observation);
  if (exported == nullptr || !exported->is_capsule) return Kind::kOther;
  if (exported->name == "dltensor") return Kind::kLegacy;
  if (exported->name == "dltensor_versioned") return Kind::kVersioned;
  return Kind::kOther;
}

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kLegacy:
      return "legacy capsule (dltensor)";
    case Kind::kVersioned:
      return "versioned capsule (dltensor_versioned)";
    case Kind::kOther:
      break;
  }
  return "no DLPack capsule";
}

bool IsA(const Raised& raised, std::string_view class_name) {
  return raised.type == class_name ||
         std::find(raised.bases.begin(), raised.bases.end(), class_name) != raised.bases.end();
}

bool IsNumber(Item kind) {
  return kind == Item::kInt || kind == Item::kEnum || kind == Item::kIndexable;
}

std::optional<DLDevice> AnsweredDevice(const Evidence& e) {
  const DeviceAnswer* answer = e.As<DeviceAnswer>(Op::kDevice);
  if (answer == nullptr || !IsNumber(answer->type_kind) || !IsNumber(answer->id_kind)) {
    return std::nullopt;
  }
  return DLDevice{static_cast<DLDeviceType>(static_cast<int32_t>(answer->type)),
                  static_cast<int32_t>(answer->id)};
}

bool SaysUnknownKeyword(const Raised& raised) {
  return raised.type == "TypeError" &&
         raised.message.find("unexpected keyword argument") != std::string::npos;
}

bool Tried(const Evidence& e, int nth) {
  return e.refusal(nth) != nullptr || e.As<Exported>(Op::kExport, nth) != nullptr;
}

bool RefusedAnyway(const Evidence& e) { return e.refusal(0) != nullptr && e.refusal(1) != nullptr; }

Wording RefusedAnywayText(const Evidence& e) {
  return Say("{} is refused too: {}", Say(RequestText, e.RequestOf(1)), e.Text(Op::kExport, 1));
}

StructFacts FactsOf(const Inspected& inspected) {
  StructFacts facts;
  facts.versioned = inspected.versioned;
  facts.version = VersionOf(inspected);
  facts.flags = FlagsOf(inspected);
  facts.tensor = TensorOf(inspected);
  facts.shape = inspected.shape;
  facts.strides = inspected.strides;
  return facts;
}

Wording List(std::span<const int64_t> values) {
  return Say("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

Wording DeviceOf(const Inspected& inspected) { return Say(DeviceText, TensorOf(inspected).device); }

Wording FirstDifference(const std::string& seen, const std::string& expected, size_t item) {
  if (!WordsWanted()) return {};
  if (item == 0) item = 1;
  if (seen.size() != expected.size()) {
    return Say("{} bytes of elements instead of {}", seen.size(), expected.size());
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == expected[i]) continue;
    const size_t element = i / item;
    const auto hex = [&](const std::string& bytes) {
      std::string text;
      for (unsigned char c : bytes.substr(element * item, item)) text += fmt::format("{:02x}", c);
      return text;
    };
    return Say("element {} (row-major) is bytes {}, expected {}", element, hex(seen),
               hex(expected));
  }
  return "no difference";
}

}  // namespace dlpc
