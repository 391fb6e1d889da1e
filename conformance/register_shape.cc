// Requirements on shape, strides, alignment, zero size. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kShapeRows[] = {
    {.id = "SHAPE-01",
     .level = Level::kMust,
     .title = "ndim is the rank of the array and shape lists its extents, none of them negative.",
     .citation = "dlpack.h 1.3, DLTensor::ndim, DLTensor::shape (lines 253-262)",
     .since = "v0.1",
     .checked = "Compares ndim and shape with the shape that the array was made with, for ranks 0 "
                "to 64 as far as the producer can make them, including axes of extent 0 and 1.",
     .remedy = "Copy the shape in full into the memory that lives with the struct; do not squeeze "
               "axes of extent 1, and convert 32-bit extents to int64."},
    {.id = "SHAPE-02",
     .level = Level::kMust,
     .title = "Strides count elements and not bytes.",
     .citation = "dlpack.h 1.3, DLTensor::strides (lines 263-264)",
     .since = "v0.1 (wording v0.3)",
     .checked = "Exports sliced, transposed, reversed and broadcast views of one geometry as "
                "int8, float32 and complex128: all three must show the same strides.",
     .remedy = "Divide byte strides by the element size when filling strides; if the division "
               "leaves a remainder the view cannot be exported (SHAPE-09)."},
    {.id = "SHAPE-03",
     .level = Level::kMust,
     .title = "From version 1.2 on strides is not NULL unless ndim is 0, and points to ndim "
              "numbers.",
     .citation = "dlpack.h 1.3, DLTensor::strides (lines 264-273)",
     .since = "v1.2",
     .contested =
         "C-7: dlpack.h forbids NULL since 1.2 while the Python specification still "
         "reads it as compact row-major, and it is open whether the ban reaches legacy structs "
         "and minors 0 and 1.",
     .checked =
         "Reads strides of every export with ndim > 0, contiguous, size-1 and zero-size "
         "arrays included. Only structs that declare 1.2 or newer are judged; not applicable to "
         "older ones, and for the legacy struct see SHAPE-04.",
     .remedy = "Always fill strides for ndim > 0, for contiguous and for empty arrays as well; "
               "allocate them next to shape."},
    {.id = "SHAPE-04",
     .level = Level::kInfo,
     .title = "Before version 1.2 strides may be NULL, which then means compact row-major data.",
     .citation = "dlpack.h 1.1, DLTensor::strides (lines 260-263); dlpack.h 1.3, note on "
                 "DLTensor::strides (lines 271-272); DLPack Python specification, Implementation",
     .since = "v0.1",
     .until = "v1.2",
     .contested = "C-7: the permission ended with 1.2 by dlpack.h, but the Python specification "
                  "still has it and says nothing about versions.",
     .checked = "Exports by the legacy path: where strides is NULL, the elements read as compact "
                "row-major must be the array's. Given strides pass.",
     .remedy = "Write explicit strides for every view that is not compact row-major; better, "
               "write them always."},
    {.id = "SHAPE-05",
     .level = Level::kInfo,
     .title = "With ndim 0, shape and strides may be NULL.",
     .citation = "dlpack.h 1.3, DLTensor::shape (line 260), DLTensor::strides (line 269)",
     .since = "v1.2",
     .checked = "Exports a 0-d array: each of the two pointers must be NULL or point to readable "
                "memory. Which it is gets recorded.",
     .remedy = "Set both to NULL for 0-d arrays, or point them at memory that lives with the "
               "struct; leave no uninitialised pointer."},
    {.id = "SHAPE-06",
     .level = Level::kMust,
     .title = "Each index leads to the right element: data + byte_offset + sum(index * stride) * "
              "element size.",
     .citation = "dlpack.h 1.3, DLTensor::data (lines 222-226), DLTensor::strides (lines 263-267)",
     .since = "v0.1",
     .checked = "Walks every index of every layout (sliced, offset, transposed, Fortran, size-1 "
                "axes) and dtype through the struct and compares the bytes with what the array was "
                "filled with. Memory is probed before it is read.",
     .remedy =
         "Take data, byte_offset and strides from the same view. Typical faults: the offset "
         "applied twice or not at all, strides of the base instead of the view, reversed axis "
         "order."},
    {.id = "SHAPE-07",
     .level = Level::kMust,
     .title = "A view with negative strides is exported as it is, or refused with BufferError.",
     .citation = "dlpack.h 1.3, DLTensor::strides is int64_t (line 275); array API 2025.12, "
                 "array.__dlpack__, Raises",
     .since = "v0.1",
     .checked = "Exports reversed views: either BufferError (noted), or strides with the right "
                "sign, data at the first element of the view, and all elements right.",
     .remedy =
         "Keep the sign when converting strides, and let data + byte_offset be the view's "
         "first element (the highest address of a reversed axis). If negative strides cannot be "
         "served, raise BufferError."},
    {.id = "SHAPE-08",
     .level = Level::kMust,
     .title = "A broadcast axis has stride 0, and its indices share one element.",
     .citation = "dlpack.h 1.3, DLTensor::strides is int64_t (line 275)",
     .since = "v0.1",
     .checked = "Exports broadcast views and walks all indices: the elements must be the array's. "
                "Not applicable when the export is refused; whether READ_ONLY is set is judged by "
                "COPY-12.",
     .remedy = "Export stride 0 unchanged. Do not recompute strides from the shape of a broadcast "
               "view."},
    {.id = "SHAPE-09",
     .level = Level::kShould,
     .title = "Byte strides that are no multiple of the element size are refused with BufferError.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked =
         "Exports a view whose byte stride has a remainder (a field of a packed record "
         "array): BufferError passes, and so does a packed copy with the right elements. Not "
         "applicable when the producer cannot make such a view.",
     .remedy = "Test stride % itemsize for every axis before dividing and raise BufferError on a "
               "remainder; with copy=None copying into a compact array is fine too."},
    {.id = "SHAPE-10",
     .level = Level::kInfo,
     .title = "Strides of axes with extent 1 may be anything; nobody may depend on them.",
     .citation = "Not stated by any source; recorded because consumers and tests disagree about it",
     .since = "not stated",
     .checked =
         "Tells the strides of exports that have size-1 axes: as in a compact array, or as the "
         "view has them. Noted as unmet only if such a stride in bytes leaves 64 bits, which "
         "is a trap for consumers that multiply it. Elements are judged by SHAPE-06.",
     .remedy = "Optional: normalise the strides of size-1 axes to compact values, since some "
               "consumers compute contiguity or allocation size from them."},
    {.id = "SHAPE-11",
     .level = Level::kShould,
     .title = "data is NULL when an extent is 0.",
     .citation = "dlpack.h 1.3, DLTensor::data (lines 247-248); DLPack Python specification, "
                 "Implementation",
     .since = "v1.0 (header), 2021.12 (specification)",
     .contested = "C-8: header and page both only recommend NULL; PyTorch, PyArrow, TensorFlow "
                  "and Paddle follow, NumPy, JAX, TVM-FFI and MLX export a non-NULL pointer.",
     .checked = "Exports arrays of shapes such as (0,), (0, 3) and (3, 0) and reads data.",
     .remedy = "Set data to NULL and byte_offset to 0 when the element count is 0."},
    {.id = "SHAPE-12",
     .level = Level::kMust,
     .title = "A zero-size array with ndim > 0 still has a readable shape, and readable strides "
              "if any are given.",
     .citation = "dlpack.h 1.3, DLTensor::strides (lines 264-267)",
     .since = "v1.2",
     .checked =
         "Reads all ndim entries of shape, and of strides where it is not NULL, for arrays "
         "with an extent of 0; shape must equal the array's. NULL strides are judged by SHAPE-03.",
     .remedy = "Do not return early for empty arrays before shape and strides are filled."},
    {.id = "SHAPE-13",
     .level = Level::kMust,
     .title = "A 0-d array has one element, so data is not NULL.",
     .citation = "dlpack.h 1.3, DLTensor::data, size formula (lines 236-248)",
     .since = "v0.1",
     .checked = "Exports 0-d arrays of every dtype and expects a non-NULL data pointer. The "
                "element itself is judged by SHAPE-06.",
     .remedy = "Treat only arrays with an extent of 0 as empty; the element count of an empty "
               "shape is 1."},
    {.id = "SHAPE-14",
     .level = Level::kInfo,
     .title = "data is aligned to 256 bytes.",
     .citation = "dlpack.h 1.3, DLTensor::data (lines 222-224)",
     .since = "v0.3",
     .contested = "C-2: the header says the pointer always has this alignment, and right after it "
                  "that libraries do not keep it and that one should not rely on it.",
     .checked =
         "Looks at data (without byte_offset) of 16 arrays of four sizes that are alive at the "
         "same time, since one alone may be aligned by chance. Never a violation.",
     .remedy = "Optional: allocate with 256-byte alignment and express views through byte_offset. "
               "Consumers of vector instructions then need no copy."},
    {.id = "SHAPE-15",
     .level = Level::kInfo,
     .title = "The first element is aligned for its element type.",
     .citation = "Not stated; compare the caveat in dlpack.h 1.3, DLTensor::data (lines 227-231)",
     .since = "not stated",
     .checked = "Notes the exports whose data + byte_offset is no multiple of the natural "
                "alignment of the dtype.",
     .remedy = "Optional: copy unaligned views (copy=None), or refuse them; JAX and others copy "
               "or fail on unaligned input."},
    {.id = "SHAPE-16",
     .level = Level::kMust,
     .title = "Every element that shape and strides describe lies inside the allocation.",
     .citation = "dlpack.h 1.3, DLTensor::data, size formula (lines 233-245)",
     .since = "v0.3",
     .contested =
         "C-9: the size formula rounds every sub-byte element up to whole bytes although "
         "packed is the default; byte-sized dtypes are not affected, and sub-byte ones are judged "
         "by their packing.",
     .checked =
         "Computes the lowest and highest byte that the strides reach and compares them "
         "with the allocation that the adapter reports; without such a report every element must "
         "at least be readable.",
     .remedy = "Check the offset of views: data + byte_offset must be the first element of the "
               "view, and (extent - 1) * stride of each axis must stay within the buffer."},
    {.id = "SHAPE-17",
     .level = Level::kMust,
     .title = "shape and strides stay valid until the deleter runs, whatever happens to the array.",
     .citation = "dlpack.h 1.3, DLManagedTensor (lines 280-285), DLManagedTensorVersioned (lines "
                 "331-338)",
     .since = "v0.2",
     .checked = "Reads shape and strides, drops the array, collects garbage, churns the "
                "allocator, and reads them again: they must be unchanged.",
     .remedy = "Copy shape and strides into the block that manager_ctx owns; do not point them at "
               "the array object's own vectors."},
    {.id = "SHAPE-18",
     .level = Level::kMust,
     .title = "Only dense strided data on one device is exported; everything else is refused.",
     .citation = "array API 2025.12, Data interchange mechanisms, Non-supported use cases; DLPack "
                 "Python specification, Semantics",
     .since = "2021.12",
     .checked = "Exports the objects of the adapter's refusals() that are sharded, distributed, "
                "sparse, ragged or nested and expects an exception. Its class is judged by ERR-01. "
                "Not applicable when "
                "the adapter names none.",
     .remedy = "Raise BufferError for arrays that are no single strided buffer; do not export the "
               "first shard, the values without their mask, or a data pointer of a sparse format."},
};

}  // namespace

std::span<const RequirementRow> ShapeRows() { return kShapeRows; }

}  // namespace dlpc
