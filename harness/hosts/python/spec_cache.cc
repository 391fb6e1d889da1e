#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "harness/hosts/python/call_cache.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

// The products do not wait for each other.
size_t HashOf(const ArraySpec& s) {
  const auto times = [](int64_t value, uint64_t factor) {
    return static_cast<uint64_t>(value) * factor;
  };
  uint64_t hash = s.dtype.code | s.dtype.bits << 8 | uint64_t{s.dtype.lanes} << 16 |
                  uint64_t{s.flags} << 32 | static_cast<uint64_t>(s.memory) << 40 |
                  static_cast<uint64_t>(s.place) << 48;
  hash *= 0x9E3779B97F4A7C15u;
  for (const Axis& axis : s.layout.axes) {
    hash = std::rotl(hash, 9) ^
           (times(axis.extent, 0xBF58476D1CE4E5B9u) + times(axis.start, 0x94D049BB133111EBu) +
            times(axis.count, 0xD6E8FEB86659FD93u) + times(axis.step, 0xA0761D6478BD642Fu));
  }
  for (const uint8_t axis : s.layout.perm) hash = std::rotl(hash, 5) ^ axis;
  hash *= 0x9E3779B97F4A7C15u;
  return hash >> 20;
}

// A tuple of items; item(i) makes a new reference, nullptr on failure.
template <typename MakeItem>
Ref Tuple(size_t size, MakeItem item) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(size)));
  for (size_t i = 0; tuple && i < size; ++i) {
    PyObject* object = item(i);
    if (object == nullptr) return {};
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), object);  // Steals; cannot fail here.
  }
  return tuple;
}

Ref Integers(std::span<const int64_t> values) {
  return Tuple(values.size(), [&](size_t i) { return PyLong_FromLongLong(values[i]); });
}

// slice(start, stop, step) that picks the axis' elements; broadcast axes keep their one element.
PyObject* SliceOf(const Axis& axis) {
  const int64_t step = axis.step == 0 ? 1 : axis.step;
  const int64_t stop = axis.step == 0 ? 1 : axis.start + axis.count * step;
  Ref py_start = Ref::Steal(PyLong_FromLongLong(axis.start));
  Ref py_stop = stop < 0 ? Ref::Borrow(Py_None) : Ref::Steal(PyLong_FromLongLong(stop));
  Ref py_step = Ref::Steal(PyLong_FromLongLong(step));
  if (!py_start || !py_stop || !py_step) return nullptr;
  return PySlice_New(py_start.get(), py_stop.get(), py_step.get());
}

// The index into the shaped base. Without axes it is (Ellipsis,): in NumPy `a[()]` is no array.
Ref IndexOf(const Layout& layout) {
  if (layout.axes.empty()) return Ref::Steal(PyTuple_Pack(1, Py_Ellipsis));
  return Tuple(layout.axes.size(), [&](size_t i) { return SliceOf(layout.axes[i]); });
}

bool HasBroadcast(const Layout& layout) {
  for (const Axis& axis : layout.axes) {
    if (axis.step == 0 && axis.count != 1) return true;
  }
  return false;
}

Extents Scaled(Extents values, int64_t factor) {
  for (int64_t& value : values) value *= factor;
  return values;
}

class SpecBuilder {
 public:
  explicit SpecBuilder(const ArraySpec& spec) : spec_(spec), view_(Resolve(spec.layout)) {}

  // A new Spec, or nothing with an exception set.
  Ref Build(PyObject* spec_class) {
    kwargs_ = Ref::Steal(PyDict_New());
    Ref args = Ref::Steal(PyTuple_New(0));
    if (!kwargs_ || !args) return {};
    AddDType();
    AddLayout();
    AddFlags();
    return failed_ ? Ref() : Ref::Steal(PyObject_Call(spec_class, args.get(), kwargs_.get()));
  }

 private:
  void Add(const char* name, Ref value) {
    if (failed_) return;
    failed_ = !value || PyDict_SetItemString(kwargs_.get(), name, value.get()) != 0;
  }
  void AddInt(const char* name, int64_t value) {
    Add(name, Ref::Steal(PyLong_FromLongLong(value)));
  }
  void AddText(const char* name, std::string_view text) {
    Add(name,
        Ref::Steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
  }
  void AddBool(const char* name, bool value) { Add(name, Ref::Steal(PyBool_FromLong(value))); }

  void AddDType() {
    AddText("dtype", DTypeName(spec_.dtype));
    AddInt("code", spec_.dtype.code);
    AddInt("bits", spec_.dtype.bits);
    AddInt("lanes", spec_.dtype.lanes);
    AddInt("itemsize", static_cast<int64_t>(ElementBytes(spec_.dtype)));
  }

  void AddLayout() {
    const Layout& layout = spec_.layout;
    const auto itemsize = static_cast<int64_t>(ElementBytes(spec_.dtype));
    const bool odd = (spec_.flags & kOddStride) != 0;
    std::vector<int64_t> extents;
    for (const Axis& axis : layout.axes) extents.push_back(axis.extent);
    const std::vector<int64_t> axes(layout.perm.begin(), layout.perm.end());
    const std::string base = PatternBase(spec_);
    Add("shape", Integers(view_.shape));
    Add("strides", Integers(view_.strides));
    Add("byte_strides", Integers(Scaled(view_.strides, itemsize + (odd ? 1 : 0))));
    AddInt("offset", view_.offset);
    Add("base",
        Ref::Steal(PyBytes_FromStringAndSize(base.data(), static_cast<Py_ssize_t>(base.size()))));
    Add("base_shape", Integers(extents));
    Add("index", IndexOf(layout));
    Add("axes", layout.perm.empty() ? Ref::Borrow(Py_None) : Integers(axes));
    Add("broadcast_to", HasBroadcast(layout) ? Integers(view_.shape) : Ref::Borrow(Py_None));
  }

  void AddFlags() {
    AddText("memory", MemoryName(spec_.memory));
    AddText("place", PlaceName(spec_.place));
    AddBool("read_only", (spec_.flags & kReadOnly) != 0);
    AddBool("static", (spec_.flags & kStaticStorage) != 0);
    AddBool("sharded", (spec_.flags & kSharded) != 0);
    AddBool("odd_stride", (spec_.flags & kOddStride) != 0);
    AddBool("is_default", spec_ == ArraySpec{{kDLFloat, 32, 1}, Contiguous({2, 3})});
  }

  const ArraySpec& spec_;
  const View view_;
  Ref kwargs_;
  bool failed_ = false;
};

}  // namespace

// Where the spec is, or the free place where it would be.
SpecCache::Cell& SpecCache::Find(size_t hash, const ArraySpec& spec) {
  const size_t mask = cells_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    Cell& cell = cells_[at];
    if (!cell.entry || (cell.hash == hash && cell.entry->spec == spec)) return cell;
  }
}

SpecCache::Entry* SpecCache::Get(const ArraySpec& spec) {
  if (used_ * 2 >= cells_.size()) Grow();
  const size_t hash = HashOf(spec);
  if (Entry* const entry = Find(hash, spec).entry.get()) return entry;
  Ref object = SpecBuilder(spec).Build(spec_class_.get());
  if (!object) return nullptr;
  Cell& cell = Find(hash, spec);
  cell = {hash, std::make_unique<Entry>(Entry{spec, std::move(object)})};
  ++used_;
  return cell.entry.get();
}

void SpecCache::Grow() {
  std::vector<Cell> old(std::max<size_t>(cells_.size() * 2, 256));
  old.swap(cells_);
  for (Cell& cell : old) {
    if (cell.entry) Find(cell.hash, cell.entry->spec) = std::move(cell);
  }
}

void SpecCache::Trim() {
  if (used_ < kMaxCached) return;
  cells_.clear();
  used_ = 0;
}

}  // namespace dlpc
