#include "harness/hosts/python/device_reader.h"

#include <string>

namespace dlpc {
namespace {

// False without an exception for what is no integer, or none that fits.
bool IndexValue(PyObject* object, int64_t& value) {
  Ref index = Ref::Steal(PyNumber_Index(object));
  if (index) value = PyLong_AsLongLong(index.get());
  const bool ok = index && PyErr_Occurred() == nullptr;
  if (!ok) {
    PyErr_Clear();
    value = 0;
  }
  return ok;
}

// The same of a plain integer.
bool LongValue(PyObject* item, int64_t& value) {
  value = PyLong_AsLongLong(item);
  if (value != -1 || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  value = 0;
  return false;
}

// What repr() gives for a plain pair.
std::string PairText(int64_t first, int64_t second) {
  std::string text = "(";
  text += std::to_string(first);
  text += ", ";
  text += std::to_string(second);
  return text += ')';
}

}  // namespace

Item DeviceReader::Classify(PyObject* item, int64_t& value) const {
  if (item == Py_None) return Item::kNone;
  if (PyLong_CheckExact(item)) return LongValue(item, value) ? Item::kInt : Item::kOther;
  const int is_enum = PyObject_IsInstance(item, enum_class_.get());
  if (is_enum < 0) PyErr_Clear();
  if (is_enum > 0) {
    if (IndexValue(item, value)) return Item::kEnum;  // IntEnum.
    const Ref plain = OptionalAttr(item, "value");
    return plain && IndexValue(plain.get(), value) ? Item::kEnum : Item::kOther;
  }
  return IndexValue(item, value) ? Item::kIndexable : Item::kOther;
}

DeviceAnswer DeviceReader::Read(PyObject* answer) const {
  DeviceAnswer result;
  result.is_tuple = PyTuple_Check(answer) != 0;
  if (result.is_tuple) {
    result.size = PyTuple_Size(answer);
    if (result.size > 0) result.type_kind = Classify(PyTuple_GetItem(answer, 0), result.type);
    if (result.size > 1) result.id_kind = Classify(PyTuple_GetItem(answer, 1), result.id);
  } else if ((result.size = PyObject_Size(answer)) < 0) {
    PyErr_Clear();
    result.size = 0;
  }
  const bool plain = PyTuple_CheckExact(answer) && result.size == 2 &&
                     result.type_kind == Item::kInt && result.id_kind == Item::kInt;
  result.repr = plain ? PairText(result.type, result.id) : ReprOf(answer);
  return result;
}

}  // namespace dlpc
