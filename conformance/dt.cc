// DT: element types. Source: dlpack.h 1.3, DLDataTypeCode and DLDataType (lines 142-215),
// IS_SUBBYTE_TYPE_PADDED (lines 323-329).
#include <algorithm>
#include <initializer_list>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// ---- Which scripts ----

const ArraySpec* SpecOf(const NamedScript& script) {
  return script.script.specs.empty() ? nullptr : &script.script.specs[0];
}

bool IsPlain(const NamedScript& script) {
  static const Layout kPlain = Contiguous({2, 3});
  const ArraySpec* spec = SpecOf(script);
  return spec != nullptr && spec->layout == kPlain;
}

// Plain arrays of a type of these codes.
template <uint8_t kFirst, uint8_t kLast = kFirst>
bool OfCode(const NamedScript& script) {
  if (!IsPlain(script)) return false;
  const DLDataType t = SpecOf(script)->dtype;
  return t.code >= kFirst && t.code <= kLast && t.lanes == 1;
}

// The table says 64 and 128 bits; complex32 is DT-16's subject.
bool IsComplex(const NamedScript& script) {
  return OfCode<kDLComplex>(script) && SpecOf(script)->dtype.bits >= 64;
}

bool IsMultiByte(const NamedScript& script) {
  const ArraySpec* spec = SpecOf(script);
  return spec != nullptr && ElementBytes(spec->dtype) > 1;
}

bool IsFloat6(const NamedScript& script) {
  const uint8_t code = SpecOf(script)->dtype.code;
  return code == kDLFloat6_e2m3fn || code == kDLFloat6_e3m2fn;
}
bool IsFloat4(const NamedScript& script) { return SpecOf(script)->dtype.code == kDLFloat4_e2m1fn; }

// ---- Helpers ----

Wording Triple(DLDataType t) {
  return Say("(code {}, bits {}, lanes {})", t.code, t.bits, t.lanes);
}

// Why nothing can be said of the struct's dtype, if so. A refusal of a standard type is PROTO-11's.
std::optional<Verdict> NoDType(const Evidence& e, const Wording& expected) {
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (e.made() == nullptr || e.made()->given) {
    return NotApplicable(expected, "what the array's dtype should be, is not known");
  }
  return std::nullopt;
}

std::string NameOf(const Evidence& e) {
  const Made* made = e.As<Made>(Op::kMakeRefusal);
  return made == nullptr ? "" : made->description;
}

bool IsCalled(const Evidence& e, std::initializer_list<std::string_view> words) {
  const std::string name = NameOf(e);
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return name.find(word) != std::string::npos; });
}

// An object of refusals() that must not be exported.
Verdict JudgeRefused(const Evidence& e, std::initializer_list<std::string_view> words) {
  const Wording expected = "an exception: no dtype describes such elements";
  if (NameOf(e).empty() || !Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  if (!IsCalled(e, words))
    return NotApplicable(expected, Say("{}: another rule's subject", NameOf(e)));
  Wording observed = Say("{}: {}", NameOf(e), e.Text(Op::kExport));
  if (const Inspected* seen = e.tensor()) observed += ", dtype " + Triple(TensorOf(*seen).dtype);
  return PassIf(e.refusal() != nullptr, expected, std::move(observed));
}

// Elements of less than a byte, one in each byte, to the packed form of H13 199-200: element i
// begins at bit i * bits.
std::string Pack(const std::string& elements, size_t bits) {
  std::string packed((elements.size() * bits + 7) / 8, '\0');
  for (size_t i = 0; i < elements.size() * bits; ++i) {
    const int bit = static_cast<unsigned char>(elements[i / bits]) >> (i % bits) & 1;
    packed[i / 8] = static_cast<char>(packed[i / 8] | bit << (i % 8));
  }
  return packed;
}

bool IsPaddedFlagged(const Inspected& seen) {
  return (FlagsOf(seen) & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
}

// ---- Judges ----

// DT-01, -02, -03, -05, -07: one row of the table.
Verdict JudgeTable(const Evidence& e) {
  const DLDataType wanted = e.spec().dtype;
  const Wording expected = Say("{} is {}", Say(DTypeName, wanted), Triple(wanted));
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  return PassIf(seen == wanted, expected, Triple(seen));
}

// DT-04: besides, real and imaginary part in their places.
Verdict JudgeComplex(const Evidence& e) {
  Verdict verdict = JudgeTable(e);
  if (verdict.status != CaseStatus::kPass) return verdict;
  const Elements* read = e.As<Elements>(Op::kRead);
  const std::string* own = e.OwnValues();
  if (read == nullptr || !own || !read->readable) return verdict;
  const size_t item = ElementBytes(e.spec().dtype);
  std::string exchanged = *own;
  for (size_t at = 0; at + item <= exchanged.size(); at += item) {
    const auto begin = exchanged.begin() + static_cast<ptrdiff_t>(at);
    std::rotate(begin, begin + static_cast<ptrdiff_t>(item / 2),
                begin + static_cast<ptrdiff_t>(item));
  }
  // Other values altogether are SHAPE-06's.
  if (read->bytes != *own && read->bytes == exchanged) {
    return Fail(verdict.expected + ", the real part first",
                FirstDifference(read->bytes, *own, item));
  }
  return verdict;
}

// DT-05: besides, the raw bytes.
Verdict JudgeBool(const Evidence& e) {
  Verdict verdict = JudgeTable(e);
  if (verdict.status != CaseStatus::kPass) return verdict;
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr || !read->readable) return verdict;
  for (const char c : read->bytes) {
    if (c == 0 || c == 1) continue;
    return Fail(verdict.expected + ", bytes 0 or 1",
                Say("a byte {:#04x}", static_cast<unsigned char>(c)));
  }
  return verdict;
}

// DT-02, the other half.
Verdict JudgeLongDouble(const Evidence& e) {
  return JudgeRefused(e, {"long double", "longdouble", "float80"});
}

// DT-06
Verdict JudgeNoSuchDType(const Evidence& e) {
  if (IsCalled(e, {"stride"})) {
    return NotApplicable("an exception", Say("{}: the subject of SHAPE-09", NameOf(e)));
  }
  return JudgeRefused(
      e, {"bit-packed", "object", "text", "string", "record", "struct", "datetime", "timedelta",
          "timestamp", "decimal", "dictionary", "quantised", "quantized"});
}

// DT-08, DT-09
Verdict JudgeBits(const Evidence& e) {
  const DLDataType wanted = e.spec().dtype;
  const Wording expected = Say("{} has {} bits", Say(DTypeName, wanted), wanted.bits);
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  return PassIf(seen.bits == wanted.bits && seen.code == wanted.code, expected, Triple(seen));
}

// DT-10
Verdict JudgePacking(const Evidence& e) {
  const Wording expected = "element i begins at bit i * bits";
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  if (seen.bits % 8 == 0) return NotApplicable(expected, "not packed: " + Triple(seen));
  if (IsPaddedFlagged(*e.tensor())) return NotApplicable(expected, "padded, by its flag");
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr || !read->readable) return NotApplicable(expected, e.Text(Op::kRead));
  const std::string wanted = Pack(PatternValues(e.spec()), e.spec().dtype.bits);
  return PassIf(read->bytes == wanted, expected, FirstDifference(read->bytes, wanted, 1));
}

// DT-11: does the flag say what the bytes say? Bytes that fit neither way say nothing.
Verdict JudgePaddedFlag(const Evidence& e) {
  const Wording expected = "IS_SUBBYTE_TYPE_PADDED exactly for one sub-byte element per byte";
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const Inspected& seen = *e.tensor();
  if (!seen.versioned) return NotApplicable(expected, "the legacy struct has no flags");
  const bool flagged = IsPaddedFlagged(seen);
  const Wording observed = Say("flags {:#x}", FlagsOf(seen));
  if (TensorOf(seen).dtype.bits % 8 == 0) {
    return PassIf(!flagged, expected, observed + ", a type of whole bytes");
  }
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr || !read->readable) return NotApplicable(expected, e.Text(Op::kRead));
  const std::string padded = PatternValues(e.spec());
  const std::string packed = Pack(padded, e.spec().dtype.bits);
  const size_t common = std::min(read->bytes.size(), packed.size());
  const std::string start = read->bytes.substr(0, common);
  const bool is_packed = start == packed.substr(0, common);
  const bool is_padded = start == padded.substr(0, common);
  if (is_packed == is_padded) return NotApplicable(expected, "the bytes fit neither way");
  return PassIf(flagged == is_padded, expected,
                observed + (is_padded ? ", one element in a byte" : ", packed elements"));
}

// DT-12
Verdict JudgeLanes(const Evidence& e) {
  const DLDataType wanted = e.spec().dtype;
  const Wording expected =
      Say("{} has {} lane{}", Say(DTypeName, wanted), wanted.lanes, wanted.lanes == 1 ? "" : "s");
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  // A pair type for FP4 is contested (C-9).
  if (wanted.code == kDLFloat4_e2m1fn && seen.lanes == 2) {
    return NotApplicable(expected, "pairs, see DT-09: " + Triple(seen));
  }
  return PassIf(seen.lanes == wanted.lanes, expected, Triple(seen));
}

// DT-13
Verdict JudgeCode(const Evidence& e) {
  const Wording expected = "a code of dlpack.h";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const uint8_t code = TensorOf(*seen).dtype.code;
  return PassIf(CodeSinceMinor(code).has_value(), expected, Say("code {}", code));
}

// DT-14
Verdict JudgeNative(const Evidence& e) {
  const Wording expected = "elements in the byte order of this machine";
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const Elements* read = e.As<Elements>(Op::kRead);
  const std::string* own = e.OwnValues();
  if (read == nullptr || !own || !read->readable) return NotApplicable(expected, e.Text(Op::kRead));
  // Only a reversal is this rule's subject; other values are SHAPE-06's.
  const size_t item = std::max<size_t>(ElementBytes(TensorOf(*e.tensor()).dtype), 1);
  std::string reversed = *own;
  for (size_t at = 0; at + item <= reversed.size(); at += item) {
    std::reverse(reversed.begin() + static_cast<ptrdiff_t>(at),
                 reversed.begin() + static_cast<ptrdiff_t>(at + item));
  }
  const bool swapped = read->bytes != *own && read->bytes == reversed;
  if (read->bytes != *own && !swapped) return NotApplicable(expected, "other values altogether");
  return PassIf(!swapped, expected, FirstDifference(read->bytes, *own, item));
}

Verdict JudgeForeignOrder(const Evidence& e) {
  const Wording expected = "data in foreign byte order are refused or converted";
  if (!IsCalled(e, {"byte-swapped", "byte order"}) || !Tried(e)) {
    return NotApplicable(expected, e.Text(Op::kExport));
  }
  if (e.refusal() != nullptr) return Pass(expected, e.Text(Op::kExport));
  const Elements* own = e.As<Elements>(Op::kReadOwn);
  const Elements* read = e.As<Elements>(Op::kRead);
  if (own == nullptr || read == nullptr) return NotApplicable(expected, e.Text(Op::kReadOwn));
  return PassIf(own->bytes == read->bytes, expected,
                "exported: " + FirstDifference(read->bytes, own->bytes, 4));
}

// DT-15
Verdict JudgeNoHandle(const Evidence& e) {
  const Wording expected = "ordinary data do not have the code 3 (kDLOpaqueHandle)";
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  return PassIf(seen.code != kDLOpaqueHandle, expected, Triple(seen));
}

// DT-16
Verdict JudgeSize(const Evidence& e) {
  const size_t wanted = ElementBytes(e.spec().dtype);
  const Wording expected =
      Say("bits * lanes / 8 is {}, the size of {}", wanted, Say(DTypeName, e.spec().dtype));
  if (auto verdict = NoDType(e, expected)) return *verdict;
  const DLDataType seen = TensorOf(*e.tensor()).dtype;
  return PassIf(size_t{seen.bits} * seen.lanes == wanted * 8, expected, Triple(seen));
}

constexpr Check kDtChecks[] = {
    {"DT-01", Zoo, 0, 0, JudgeTable, OfCode<kDLInt, kDLUInt>},
    {"DT-02", Zoo, 0, 0, JudgeTable, OfCode<kDLFloat>},
    {"DT-02", Inexpressible, 0, 0, JudgeLongDouble},
    {"DT-03", Zoo, 0, 0, JudgeTable, OfCode<kDLBfloat>},
    {"DT-04", Zoo, 0, 0, JudgeComplex, IsComplex},
    {"DT-05", Zoo, 0, 0, JudgeBool, OfCode<kDLBool>},
    {"DT-06", Inexpressible, 0, 0, JudgeNoSuchDType},
    {"DT-07", Zoo, 0, 0, JudgeTable, OfCode<kDLFloat8_e3m4, kDLFloat8_e8m0fnu>},
    {"DT-08", PackedTypes, 0, 0, JudgeBits, IsFloat6},
    {"DT-09", PackedTypes, 0, 0, JudgeBits, IsFloat4},
    {"DT-10", PackedTypes, 0, 0, JudgePacking},
    {"DT-11", PackedTypes, kTagVersioned, 0, JudgePaddedFlag},
    {"DT-11", Zoo, kTagVersioned, 0, JudgePaddedFlag, IsPlain},
    {"DT-12", Zoo, 0, 0, JudgeLanes, IsPlain},
    {"DT-12", PackedTypes, 0, 0, JudgeLanes, IsPlain},
    {"DT-13", Zoo, 0, 0, JudgeCode, IsPlain},
    {"DT-13", PackedTypes, 0, 0, JudgeCode, IsPlain},
    {"DT-13", Inexpressible, 0, 0, JudgeCode},
    {"DT-14", Zoo, kTagElements, 0, JudgeNative, IsMultiByte},
    {"DT-14", Inexpressible, 0, 0, JudgeForeignOrder},
    {"DT-15", Zoo, 0, 0, JudgeNoHandle, IsPlain},
    {"DT-15", Inexpressible, 0, 0, JudgeNoHandle},
    {"DT-16", Zoo, 0, 0, JudgeSize, IsPlain},
};

}  // namespace

std::span<const Check> DtChecks() { return kDtChecks; }

}  // namespace dlpc
