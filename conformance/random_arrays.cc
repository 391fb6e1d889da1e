#include "conformance/random_arrays.h"

#include "reference/dtype.h"

namespace dlpc {

Layout TakeLayout(InputReader& reader) {
  Layout layout;
  layout.axes.resize(reader.Take<uint8_t>() % 5);
  for (Axis& axis : layout.axes) {
    const auto kind = reader.Take<uint8_t>();
    axis.extent = 1 + kind % 8;
    axis.count = axis.extent;
    if (kind < 128) continue;  // The whole axis.
    if (kind >= 240) axis.extent = 0;
    axis.start = reader.Take<uint8_t>() % 8;
    axis.count = reader.Take<uint8_t>() % 9;
    axis.step = reader.Take<uint8_t>() % 7 - 3;
    if (axis.step == 0) axis.extent = 1;  // Broadcast.
  }
  if (reader.Take<uint8_t>() % 4 == 3) {
    for (size_t i = 0; i < layout.axes.size(); ++i) {
      layout.perm.push_back(reader.Take<uint8_t>() % 8);
    }
  }
  return layout;
}

// A dtype of the same kind: packed types have scripts of their own.
DLDataType TakeDType(InputReader& reader, DLDataType old) {
  const DTypeRow* row = FindDType(old);
  const DTypeRow& other = DTypes()[reader.Take<uint8_t>() % DTypes().size()];
  return row != nullptr && row->byte_sized == other.byte_sized ? other.dtype : old;
}

}  // namespace dlpc
