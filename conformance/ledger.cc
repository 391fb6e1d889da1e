#include "conformance/ledger.h"

#include <algorithm>

namespace dlpc {
namespace {

// Half of the smallest struct: allocators round, caches shrink meanwhile.
constexpr int64_t kBytesEach = 32;

}  // namespace

std::optional<int64_t> ReferenceChange(const Evidence& e, int from, int to) {
  const Counted* before = e.As<Counted>(Op::kRefCount, from);
  const Counted* after = e.As<Counted>(Op::kRefCount, to);
  if (before == nullptr || after == nullptr) return std::nullopt;
  return after->value - before->value;
}

Wording ChangeText(const Evidence& e, const Elements& now, const Elements& before) {
  if (!now.readable) return "the memory cannot be read any more";
  const size_t item = before.bytes.size() /
                      std::max<size_t>(1, static_cast<size_t>(Resolve(e.spec().layout).elements));
  return FirstDifference(now.bytes, before.bytes, item);
}

Verdict ElementsKept(const Evidence& e, const Wording& expected) {
  if (e.tensor(0) == nullptr) return NotApplicable(expected, e.WhyNoTensor(0));
  const Elements* before = e.As<Elements>(Op::kRead, 0);
  if (before == nullptr) return NotApplicable(expected, e.Text(Op::kRead, 0));
  const Elements* after = e.As<Elements>(Op::kRead, 1);
  if (after == nullptr) return Fail(expected, "after: " + e.Text(Op::kRead, 1));
  if (!after->readable || after->bytes != before->bytes) {
    return Fail(expected, "after: " + ChangeText(e, *after, *before));
  }
  return Pass(expected, "unchanged: " + e.Text(Op::kRead, 1));
}

std::optional<Wording> WrongFromTheStart(const Evidence& e) {
  const Elements* first = e.As<Elements>(Op::kRead, 0);
  const std::string* own = e.OwnValues();
  if (first == nullptr) return e.Text(Op::kRead, 0);
  if (!first->readable) return "the elements cannot be read (see SHAPE-16)";
  if (own != nullptr && first->bytes != *own)
    return "the elements are not the array's (see SHAPE-06)";
  return std::nullopt;
}

Leftovers LeftBehind(const Evidence& e, const Many& many) {
  const std::optional<int64_t> counted = ReferenceChange(e, 0, 1);
  const int64_t references = counted.value_or(0);
  const int64_t heap = many.heap_growth.value_or(0);
  const int64_t objects = many.object_growth.value_or(0);
  const int64_t half = many.tried / 2;
  Leftovers left;
  left.known = counted || many.heap_growth || many.object_growth;
  left.leaks = references >= half || heap >= many.tried * kBytesEach || objects >= half;
  left.text = left.leaks ? Say("{} exports leave {} references, {} bytes, {} objects", many.tried,
                               references, heap, objects)
                         : Say("{} exports leave nothing behind", many.tried);
  return left;
}

}  // namespace dlpc
