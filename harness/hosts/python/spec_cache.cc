#include <string_view>
#include <vector>

#include "harness/hosts/python/call_cache.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

constexpr size_t kMaxCached = 8192;

size_t Mix(size_t hash, int64_t value) {
  return (hash ^ static_cast<size_t>(value)) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

size_t HashOf(const ArraySpec& s) {
  size_t hash = s.dtype.code | s.dtype.bits << 8 | size_t{s.dtype.lanes} << 16;
  hash = Mix(hash,
             static_cast<int64_t>(s.place) << 16 | static_cast<int64_t>(s.memory) << 8 | s.flags);
  for (const Axis& axis : s.layout.axes) {
    hash = Mix(Mix(Mix(Mix(hash, axis.extent), axis.start), axis.count), axis.step);
  }
  for (const uint8_t axis : s.layout.perm) hash = Mix(hash, axis);
  return hash;
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

Ref Integers(const std::vector<int64_t>& values) {
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

std::vector<int64_t> Scaled(std::vector<int64_t> values, int64_t factor) {
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

SpecCache::Entry* SpecCache::Get(const ArraySpec& spec) {
  const size_t hash = HashOf(spec);
  const auto [begin, end] = specs_.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second.spec == spec) return &entry->second;
  }
  if (specs_.size() >= kMaxCached) specs_.clear();
  Ref object = SpecBuilder(spec).Build(spec_class_.get());
  if (!object) return nullptr;
  return &specs_.emplace(hash, Entry{spec, std::move(object)})->second;
}

}  // namespace dlpc
