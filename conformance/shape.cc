// SHAPE: shape, strides, alignment, zero size. Source: dlpack.h 1.3, DLTensor (lines 220-278).
#include <algorithm>

#include "conformance/catalogue.h"
#include "conformance/families.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

Wording ShapeText(const Inspected& seen) {
  return Say("ndim {}, shape {}, strides {}", TensorOf(seen).ndim,
             TensorOf(seen).shape == nullptr ? "NULL" : List(seen.shape),
             TensorOf(seen).strides == nullptr ? "NULL" : List(seen.strides));
}

Wording ElementsText(const Evidence& e) {
  const Inspected* seen = e.tensor();
  const DLTensor t = TensorOf(*seen);
  return Say("{}, data {}, byte_offset {}", ShapeText(*seen), t.data == nullptr ? "NULL" : "set",
             t.byte_offset);
}

// SHAPE-01
Verdict JudgeShape(const Evidence& e) {
  const Extents* own = e.OwnShape();
  const Wording expected =
      own ? Say("ndim {}, shape {}", own->size(), List(*own)) : "the array's shape";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!own) return NotApplicable(expected, "the adapter does not know the array's shape");
  return PassIf(TensorOf(*seen).ndim == static_cast<int32_t>(own->size()) && seen->shape == *own,
                expected, ShapeText(*seen));
}

// SHAPE-02: three arrays of one layout whose elements have 1, 4 and 16 bytes.
Verdict JudgeElementStrides(const Evidence& e) {
  const Wording expected = "the same strides for int8, float32 and complex128 views alike";
  for (int nth = 0; nth < 3; ++nth) {
    if (e.tensor(nth) == nullptr) return NotApplicable(expected, e.WhyNoTensor(nth));
  }
  const auto& a = e.tensor(0)->strides;
  const auto& b = e.tensor(1)->strides;
  const auto& c = e.tensor(2)->strides;
  return PassIf(a == b && b == c, expected,
                Say("int8 {}, float32 {}, complex128 {}", List(a), List(b), List(c)));
}

// SHAPE-03: since 1.2 only, so only where the struct declares it (C-7).
Verdict JudgeStridesGiven(const Evidence& e) {
  const Wording expected = "strides points to ndim entries (struct version >= 1.2)";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (!seen->versioned) return NotApplicable(expected, "a legacy struct (see SHAPE-04)");
  const DLPackVersion v = VersionOf(*seen);
  if (v.major == 1 && v.minor < 2) {
    return NotApplicable(expected, Say("the struct declares version 1.{}", v.minor));
  }
  if (TensorOf(*seen).ndim == 0) return NotApplicable(expected, "ndim is 0");
  return PassIf(TensorOf(*seen).strides != nullptr && seen->strides_readable, expected,
                ShapeText(*seen));
}

// SHAPE-04: NULL strides mean compact row-major; then the elements must be there.
Verdict JudgeNullStridesCompact(const Evidence& e) {
  const Wording expected = "strides are given, or NULL and the elements are compact row-major";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (TensorOf(*seen).strides != nullptr) return Pass(expected, ShapeText(*seen));
  const Elements* read = e.As<Elements>(Op::kRead);
  const std::string* own = e.OwnValues();
  if (read == nullptr || !own) return NotApplicable(expected, e.Text(Op::kRead));
  return PassIf(read->readable && read->bytes == *own, expected,
                "strides NULL; " + FirstDifference(read->bytes, *own, e.ItemBytes()));
}

// SHAPE-05
Verdict JudgeScalarPointers(const Evidence& e) {
  const Wording expected = "with ndim 0, shape and strides are NULL or readable";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const DLTensor t = TensorOf(*seen);
  if (t.ndim != 0) return NotApplicable(expected, ShapeText(*seen));
  const bool shape_ok = t.shape == nullptr || seen->shape_readable;
  const bool strides_ok = t.strides == nullptr || seen->strides_readable;
  const auto text = [](const void* pointer, bool readable) {
    return pointer == nullptr ? "NULL" : readable ? "readable" : "neither NULL nor readable";
  };
  return PassIf(shape_ok && strides_ok, expected,
                Say("shape {}, strides {}", text(t.shape, seen->shape_readable),
                    text(t.strides, seen->strides_readable)));
}

// Elements read through the struct against the producer's own. SHAPE-06 judges every layout,
// SHAPE-07 those with negative strides, SHAPE-08 broadcast ones, SHAPE-13 scalars.
Verdict JudgeElements(const Evidence& e, const Wording& expected) {
  if (e.tensor() == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const std::string* own = e.OwnValues();
  if (!own) return NotApplicable(expected, "the array's own values cannot be read");
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr) {
    // A NULL data pointer is a fault of the export; memory of a device is nobody's.
    if (TensorOf(*e.tensor()).data == nullptr && !own->empty()) {
      return Fail(expected, "data is NULL, the array has elements");
    }
    return NotApplicable(expected, e.Text(Op::kRead));
  }
  if (!read->readable) {
    return Fail(expected, "elements lie in memory that cannot be read: " + ElementsText(e));
  }
  if (read->bytes != *own) {
    return Fail(expected,
                FirstDifference(read->bytes, *own, e.ItemBytes()) + "; " + ElementsText(e));
  }
  return Pass(expected, Say("{} bytes of elements equal", read->bytes.size()));
}

// The same for views by a kind of stride: right elements without such a stride prove nothing about
// it (the library made a compact array, or a copy).
Verdict JudgeElementsOfView(const Evidence& e, const Wording& expected, bool (*kind)(int64_t)) {
  Verdict verdict = JudgeElements(e, expected);
  if (verdict.status != CaseStatus::kPass) return verdict;
  const Inspected* seen = e.tensor();
  for (size_t i = 0; i < seen->strides.size(); ++i) {
    if (seen->shape[i] > 1 && kind(seen->strides[i])) {
      return Pass(expected, ShapeText(*seen) + ", all elements right");
    }
  }
  return NotApplicable(expected, "exported without such a stride: " + ShapeText(*seen));
}

Verdict JudgeAddresses(const Evidence& e) {
  return JudgeElements(e, "every element at data + byte_offset + sum(index * stride) * itemsize");
}

// SHAPE-07: BufferError is the other legal answer.
Verdict JudgeNegative(const Evidence& e) {
  const Wording expected = "negative strides exported faithfully, or BufferError";
  if (const Raised* raised = e.refusal()) {
    return PassIf(IsA(*raised, "BufferError"), expected, Say(ObservationText, *raised));
  }
  return JudgeElementsOfView(e, expected, [](int64_t stride) { return stride < 0; });
}

// SHAPE-08
Verdict JudgeBroadcast(const Evidence& e) {
  return JudgeElementsOfView(e, "several indices of a broadcast view reach the same element",
                             [](int64_t stride) { return stride == 0; });
}

// SHAPE-09
Verdict JudgeOddStride(const Evidence& e) {
  const Wording expected = "BufferError: a byte stride is no multiple of the element size";
  if (const Raised* raised = e.refusal()) {
    return PassIf(IsA(*raised, "BufferError"), expected, Say(ObservationText, *raised));
  }
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  // Packing the elements into a copy is a correct answer as well.
  const Elements* read = e.As<Elements>(Op::kRead);
  const std::string* own = e.OwnValues();
  if (read != nullptr && own && read->readable && read->bytes == *own) {
    return Pass(expected, "exported with the right elements: " + ElementsText(e));
  }
  return Fail(expected, "exported: " + ElementsText(e));
}

// SHAPE-10: any value is legal; what it is told (pytorch#99803 and numpy's test_size1dims_arrays
// show that policies differ). Only a value whose byte distance leaves 64 bits is a trap for
// consumers.
Verdict JudgeUnitStrides(const Evidence& e) {
  const Wording expected = "strides of size-1 axes, whatever they are, fit 64 bits in bytes";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  if (TensorOf(*seen).strides == nullptr) return NotApplicable(expected, "strides is NULL");
  const auto item = static_cast<int64_t>(ElementBytes(TensorOf(*seen).dtype));
  for (size_t i = 0; i < seen->shape.size() && i < seen->strides.size(); ++i) {
    int64_t bytes = 0;
    if (seen->shape[i] == 1 && __builtin_mul_overflow(seen->strides[i], item, &bytes)) {
      return Fail(expected, ShapeText(*seen));
    }
  }
  const bool normal =
      IsContiguous(seen->shape, seen->strides) && seen->strides == CompactStrides(seen->shape);
  return Pass(expected,
              (normal ? "as in a compact array: " : "as the view has them: ") + ShapeText(*seen));
}

// SHAPE-11 (contested, C-8)
Verdict JudgeEmptyNull(const Evidence& e) {
  const Wording expected = "data is NULL for an array without elements";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const uint64_t data = reinterpret_cast<uint64_t>(TensorOf(*seen).data);
  return PassIf(data == 0, expected,
                (data == 0 ? "data is NULL, " : "data is not NULL, ") + ShapeText(*seen));
}

// SHAPE-12
Verdict JudgeEmptyArrays(const Evidence& e) {
  const Wording expected = "shape and strides of an empty array can be read";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const DLTensor t = TensorOf(*seen);
  // NULL strides are SHAPE-03's and SHAPE-04's business.
  const bool strides_ok = t.strides == nullptr || seen->strides_readable;
  return PassIf(t.shape != nullptr && seen->shape_readable && strides_ok, expected,
                ShapeText(*seen));
}

// SHAPE-13
Verdict JudgeScalarData(const Evidence& e) {
  const Wording expected = "data is not NULL: a 0-d array has one element";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const uint64_t data = reinterpret_cast<uint64_t>(TensorOf(*seen).data);
  return PassIf(data != 0, expected, data == 0 ? "data is NULL" : "data is not NULL");
}

// SHAPE-14 (contested, C-2). One array may be aligned by chance, so many are looked at.
Verdict JudgeAlignment256(const Evidence& e) {
  const Wording expected = "data of 16 arrays is aligned to 256 bytes";
  int seen_any = 0;
  for (int nth = 0; nth < 16; ++nth) {
    const Inspected* seen = e.tensor(nth);
    if (seen == nullptr) continue;
    ++seen_any;
    if (reinterpret_cast<uint64_t>(TensorOf(*seen).data) % 256 != 0) {
      return Fail(expected, "data of some arrays is not");
    }
  }
  if (seen_any == 0) return NotApplicable(expected, e.WhyNoTensor());
  return Pass(expected, Say("{} arrays are", seen_any));
}

// SHAPE-15: complex numbers are as aligned as their halves, vectors as their lanes.
Verdict JudgeElementAlignment(const Evidence& e) {
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable("aligned elements", e.WhyNoTensor());
  const DLTensor t = TensorOf(*seen);
  size_t align = std::max<size_t>(1, t.dtype.bits / 8);
  if (t.dtype.code == kDLComplex) align = std::max<size_t>(1, align / 2);
  const Wording expected = Say("the first element is aligned to {} bytes", align);
  if (t.data == nullptr) return NotApplicable(expected, "data is NULL");
  const uint64_t address = reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
  return PassIf(
      address % align == 0, expected,
      address % align == 0
          ? Say("its address is a multiple of {}", std::min(size_t{256}, address & -address))
          : Say("it lies {} bytes past such an address", address % align));
}

// SHAPE-16: by the allocation that the adapter knows, else by what can be read at all.
Verdict JudgeInsideAllocation(const Evidence& e) {
  const Wording expected = "every element lies inside the allocation";
  const Inspected* seen = e.tensor();
  if (seen == nullptr) return NotApplicable(expected, e.WhyNoTensor());
  const Elements* read = e.As<Elements>(Op::kRead);
  if (read == nullptr) return NotApplicable(expected, e.Text(Op::kRead));
  // 0, 0 if unknown. Where the export copied, the source's allocation says nothing.
  const auto [start, bytes] = e.made()
                                  ? e.made()->allocation.value_or(std::pair<uint64_t, uint64_t>())
                                  : std::pair<uint64_t, uint64_t>();
  const bool overlaps = read->low < start + bytes && read->high > start;
  if (!overlaps) {
    return PassIf(read->readable, expected,
                  read->readable ? "all of them can be read" : "they cannot be read");
  }
  return PassIf(read->low >= start && read->high <= start + bytes, expected,
                Say("elements at bytes [{}, {}) of the allocation, which has {}",
                    static_cast<int64_t>(read->low - start),
                    static_cast<int64_t>(read->high - start), bytes));
}

// SHAPE-17
Verdict JudgeShapeOutlivesSource(const Evidence& e) {
  const Wording expected = "shape and strides stay what they were after the source is gone";
  const Inspected* before = e.tensor(0);
  if (before == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  const Inspected* after = e.As<Inspected>(Op::kInspect, 1);
  if (after == nullptr) return Fail(expected, "after: " + e.Text(Op::kInspect, 1));
  return PassIf(before->shape == after->shape && before->strides == after->strides, expected,
                "after: " + ShapeText(*after));
}

// SHAPE-18: whatever the exception's class (that is ERR-01), it must not be exported.
Verdict JudgeNotStrided(const Evidence& e) {
  const Wording expected = "an exception: not dense strided memory on one device";
  const Made* refused = e.As<Made>(Op::kMakeRefusal);
  const std::string name = refused != nullptr ? refused->description : "sharded";
  static constexpr std::string_view kKinds[] = {"sharded", "distributed", "sparse", "ragged",
                                                "nested"};
  const bool is_about = std::any_of(std::begin(kKinds), std::end(kKinds), [&](auto kind) {
    return name.find(kind) != std::string::npos;
  });
  if (!is_about) return NotApplicable(expected, Say("{} is another rule's subject", name));
  if (!Tried(e)) return NotApplicable(expected, e.Text(Op::kExport));
  return PassIf(e.refusal() != nullptr, expected, Say("{}: {}", name, e.Text(Op::kExport)));
}

constexpr Check kShapeChecks[] = {
    {"SHAPE-01", Zoo, 0, 0, JudgeShape},
    {"SHAPE-02", SameViews, 0, 0, JudgeElementStrides},
    {"SHAPE-03", Zoo, kTagVersioned | kTagRank, 0, JudgeStridesGiven},
    {"SHAPE-04", Zoo, kTagLegacy | kTagRank | kTagElements, 0, JudgeNullStridesCompact},
    {"SHAPE-05", Zoo, kTagScalar, 0, JudgeScalarPointers},
    {"SHAPE-06", Zoo, kTagElements, 0, JudgeAddresses},
    {"SHAPE-07", Zoo, kTagNegative, 0, JudgeNegative},
    {"SHAPE-08", Zoo, kTagBroadcast, 0, JudgeBroadcast},
    {"SHAPE-09", OddStrides, 0, 0, JudgeOddStride},
    {"SHAPE-10", Zoo, kTagUnitAxis | kTagElements, 0, JudgeUnitStrides},
    {"SHAPE-11", Zoo, kTagEmpty, 0, JudgeEmptyNull},
    {"SHAPE-12", Zoo, kTagEmpty | kTagRank, 0, JudgeEmptyArrays},
    {"SHAPE-13", Zoo, kTagScalar, 0, JudgeScalarData},
    {"SHAPE-14", FreshArrays, 0, 0, JudgeAlignment256},
    {"SHAPE-15", Zoo, kTagElements, 0, JudgeElementAlignment},
    {"SHAPE-16", Zoo, kTagElements, 0, JudgeInsideAllocation},
    {"SHAPE-17", SourceDroppedFirst, 0, 0, JudgeShapeOutlivesSource},
    {"SHAPE-18", Refusals, 0, 0, JudgeNotStrided},
};

}  // namespace

std::span<const Check> ShapeChecks() { return kShapeChecks; }

}  // namespace dlpc
