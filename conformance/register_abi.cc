// Requirements on struct fields and layout. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kAbiRows[] = {
    {.id = "ABI-01",
     .level = Level::kMust,
     .title = "DLTensor has the layout of dlpack.h: 48 bytes on LP64 with data at 0, device 8, "
              "ndim 16, dtype 20, shape 24, strides 32, byte_offset 40.",
     .citation = "dlpack.h 1.3, DLTensor (lines 220-278)",
     .since = "v0.1 (32-bit device_id since v0.7)",
     .checked =
         "Reads legacy exports at these offsets, where nothing precedes the tensor: ndim, "
         "dtype, device and the pointers must be possible values, and shape readable. The tests "
         "of the suite assert these offsets of its own dlpack.h at compile time.",
     .remedy = "Include dlpack.h instead of a private copy of the struct. In ctypes, cffi, Rust "
               "or Go declare ndim as int32, lanes as uint16 and byte_offset as uint64."},
    {.id = "ABI-02",
     .level = Level::kMust,
     .title = "DLManagedTensor is 64 bytes on LP64: dl_tensor at 0, manager_ctx 48, deleter 56.",
     .citation = "dlpack.h 1.3, DLManagedTensor (lines 294-308)",
     .since = "v0.2",
     .checked =
         "Reads legacy exports at these offsets: the tensor must be plausible, and the "
         "word at 56 NULL or an address in executable memory. Not applicable when the producer "
         "refuses legacy exports.",
     .remedy = "Keep the order dl_tensor, manager_ctx, deleter; the versioned struct has another "
               "order, so do not share one private definition."},
    {.id = "ABI-03",
     .level = Level::kMust,
     .title = "DLManagedTensorVersioned is 80 bytes on LP64: version at 0, manager_ctx 8, deleter "
              "16, flags 24, dl_tensor 32.",
     .citation = "dlpack.h 1.3, DLManagedTensorVersioned (lines 341-375)",
     .since = "v1.0",
     .checked = "Reads versioned exports at these offsets: version and flags must be plausible, "
                "the deleter NULL or executable, and the tensor must match the array.",
     .remedy = "Take the struct from dlpack.h 1.x. Typical faults: flags missing or 32 bits wide, "
               "dl_tensor first as in the legacy struct."},
    {.id = "ABI-04",
     .level = Level::kMust,
     .title = "DLDevice is two 32-bit integers; DLDataType is code and bits with 8 bits each, "
              "then lanes with 16.",
     .citation = "dlpack.h 1.3, DLDevice (lines 128-136), DLDataType (lines 202-215)",
     .since = "v0.1 (int32 device_id since v0.7)",
     .checked =
         "Reads code, bits and lanes of every dtype that the producer claims at these "
         "places and compares them with the dtype table; reads device_type and device_id likewise.",
     .remedy = "Order the dtype fields code, bits, lanes and write lanes as uint16; in bindings "
               "write the device type as int32."},
    {.id = "ABI-05",
     .level = Level::kMust,
     .title = "version holds the DLPack version whose rules the struct follows: major 1 and a "
              "released minor.",
     .citation = "dlpack.h 1.3, DLPackVersion (lines 61-66), DLManagedTensorVersioned::version "
                 "(lines 341-345); array API 2025.12, array.__dlpack__, Notes",
     .since = "v1.0",
     .checked = "Reads version of every versioned export: major must be 1, minor 0 to 3. The "
                "rules that depend on the version are then chosen by this value.",
     .remedy =
         "Set version.major and version.minor from DLPACK_MAJOR_VERSION and "
         "DLPACK_MINOR_VERSION of the header that the library was built with; do not leave them "
         "zero and do not echo max_version."},
    {.id = "ABI-06",
     .level = Level::kShould,
     .title = "flags has no bit set that dlpack.h does not define, and is 0 where none applies.",
     .citation = "dlpack.h 1.3, DLManagedTensorVersioned::flags (lines 361-372)",
     .since = "v1.0",
     .checked = "Expects (flags & ~7) == 0 for every versioned export. Whether the defined bits "
                "are right is judged by COPY-06, COPY-07, COPY-12 and DT-11.",
     .remedy = "Start from flags = 0 and OR in DLPACK_FLAG_BITMASK_... constants; keep private "
               "marks in manager_ctx."},
    {.id = "ABI-07",
     .level = Level::kInfo,
     .title = "manager_ctx may be NULL.",
     .citation = "dlpack.h 1.3, manager_ctx (lines 297-299, 346-352)",
     .since = "v0.2",
     .checked =
         "Never reads through manager_ctx. Where it is NULL, dropping the export must give "
         "back the references to the array all the same; not applicable when references cannot be "
         "counted.",
     .remedy = "Nothing to fix in the field itself. If exports with NULL manager_ctx fail other "
               "rows, the deleter has lost the way to what it must release."},
    {.id = "ABI-08",
     .level = Level::kInfo,
     .title = "deleter may be NULL if the producer has nothing sensible to call; otherwise it "
              "points at code.",
     .citation = "dlpack.h 1.3, deleter (lines 301-307, 353-360)",
     .since = "v0.2",
     .checked = "Where the deleter is NULL the elements must be readable; otherwise its address "
                "must lie in an executable mapping.",
     .remedy = "Use NULL only for memory that lives as long as the process. For anything else "
               "provide a function with C linkage."},
    {.id = "ABI-09",
     .level = Level::kInfo,
     .title = "byte_offset leads from data, the start of the allocation, to the first element.",
     .citation = "dlpack.h 1.3, DLTensor::data (lines 222-231), DLTensor::byte_offset (lines "
                 "276-277)",
     .since = "v0.1 (the remark that libraries do not follow: v0.7)",
     .contested =
         "C-2: dlpack.h wants an aligned data pointer with byte_offset to the first "
         "element, and notes that libraries fold the offset into data; both describe the same "
         "first element.",
     .checked =
         "Exports views that start inside their buffer and compares data with the start of "
         "the allocation that the adapter reports. Whether data + byte_offset is right is judged "
         "by COPY-01 and SHAPE-06. Not applicable when the adapter knows no allocation.",
     .remedy = "Optional: leave data at the start of the allocation and put the distance of the "
               "view into byte_offset. Needed on devices whose data is an opaque handle."},
    {.id = "ABI-10",
     .level = Level::kMust,
     .title = "Every field is written, also those that are easily forgotten: lanes, byte_offset, "
              "flags, device_id.",
     .citation = "dlpack.h 1.3, DLTensor (lines 220-278)",
     .since = "v0.1",
     .checked = "Exports one array three times, with the heap filled differently before each, and "
                "compares all fields, shape and strides of the three structs.",
     .remedy = "Zero-initialise the struct (calloc, value initialisation) before filling it."},
    {.id = "ABI-11",
     .level = Level::kMust,
     .title = "The deleter is a C function: it has the C calling convention and no C++ exception "
              "leaves it.",
     .citation = "dlpack.h 1.3, extern \"C\" (lines 38-40), deleter (lines 307, 360)",
     .since = "v0.2",
     .checked = "Consumes an export and calls its deleter inside a try block, by both structs; an "
                "exception that arrives there is the fault.",
     .remedy = "Declare the deleter noexcept inside extern \"C\" and catch everything in it; a "
               "destructor that may throw must not be reached uncaught."},
    {.id = "ABI-12",
     .level = Level::kShould,
     .title = "The versioned struct is offered since DLPack 1.0, and the legacy struct still is "
              "during the transition.",
     .citation = "DLPack Python specification, Implementation; dlpack.h 1.3, note on "
                 "DLManagedTensor (lines 287-291)",
     .since = "v1.0",
     .checked = "Exports one array with max_version absent and with (1, 99): the first must give "
                "a legacy capsule, the second a versioned one.",
     .remedy = "Implement both branches: max_version with major 1 or more gives "
               "DLManagedTensorVersioned, None or major 0 gives DLManagedTensor."},
    {.id = "ABI-13",
     .level = Level::kMust,
     .title = "Everything up to flags stays where it is across major versions, so that version "
              "and deleter can always be found.",
     .citation = "dlpack.h 1.3, note on DLManagedTensorVersioned::flags (lines 366-368)",
     .since = "v1.0",
     .checked = "Reads only version and deleter of a versioned export, as a consumer of another "
                "major would, and calls the deleter found there: it must run once.",
     .remedy = "Keep version as the first member and deleter at byte 16 in any private or future "
               "variant of the struct."},
};

}  // namespace

std::span<const RequirementRow> AbiRows() { return kAbiRows; }

}  // namespace dlpc
