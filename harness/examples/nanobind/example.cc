// An extension as its author would write it: memory of the library, given to Python as
// nb::ndarray. What it exports by DLPack is nanobind's work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

struct Buffer {
  explicit Buffer(const nb::bytes& bytes) : data(new char[bytes.size() + 1]), size(bytes.size()) {
    std::memcpy(data, bytes.data(), size);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { delete[] data; }

  char* const data;
  const size_t size;
};

struct View {
  std::vector<size_t> shape;
  std::vector<int64_t> strides;
  uint64_t byte_offset = 0;
  nb::dlpack::dtype dtype;
};

// The buffer lives as long as some view of it.
template <typename... Properties>
nb::object Share(nb::handle owner, const View& v) {
  nb::ndarray<nb::array_api, Properties...> array(
      nb::cast<Buffer&>(owner).data + v.byte_offset, v.shape.size(), v.shape.data(), owner,
      v.strides.data(), v.dtype, nb::device::cpu::value, 0);
  return nb::cast(array);
}

nb::object MakeView(nb::handle owner, std::vector<size_t> shape, std::vector<int64_t> strides,
                    uint64_t byte_offset, uint8_t code, uint8_t bits, bool read_only) {
  const View view{std::move(shape), std::move(strides), byte_offset, {code, bits, 1}};
  return read_only ? Share<nb::ro>(owner, view) : Share<>(owner, view);
}

}  // namespace

NB_MODULE(dlpc_nanobind_example, m) {
  nb::class_<Buffer>(m, "Buffer")
      .def(nb::init<nb::bytes>())
      .def_prop_ro("address", [](const Buffer& b) { return reinterpret_cast<uintptr_t>(b.data); })
      .def_ro("size", &Buffer::size);
  m.def(
      "load", [](const nb::ndarray<>& array) { return nb::ndarray<nb::array_api>(array); },
      "What nanobind makes of any array that it is given.", nb::arg("array"));
  m.def("view", MakeView, "Elements of a buffer; strides count elements.", nb::arg("buffer"),
        nb::arg("shape"), nb::arg("strides"), nb::arg("byte_offset"), nb::arg("code"),
        nb::arg("bits"), nb::arg("read_only"));
}
