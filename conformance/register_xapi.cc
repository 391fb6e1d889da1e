// Requirements on the C exchange API. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kXapiRows[] = {
    {.id = "XAPI-01",
     .level = Level::kInfo,
     .title = "A producer may offer the C exchange table as __dlpack_c_exchange_api__.",
     .citation = "array API draft of April 2026, array.__dlpack_c_exchange_api__; DLPack 1.3 "
                 "Python specification, C exchange API",
     .since = "v1.3",
     .contested =
         "C-21: the array API calls the attribute optional, the DLPack page says a "
         "framework will need to provide it, and DLPack 1.2 had it as an int under another name; "
         "only the form of 1.3 is tested.",
     .checked = "Looks the attribute up on the type of the arrays. Without it all other XAPI rows "
                "are not applicable.",
     .remedy = "Optional: offer the table to spare extensions the Python call. If only the 1.2 "
               "name exists, add the capsule beside it."},
    {.id = "XAPI-02",
     .level = Level::kMust,
     .title = "The attribute is found on the type, not only on instances.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPI (lines 537, 556-557)",
     .since = "v1.3",
     .checked = "Looks the name up with PyObject_GetAttrString on Py_TYPE(array) and, where "
                "possible, on a subclass.",
     .remedy = "Set it in the type's dictionary; a property on instances yields the descriptor "
               "and not the capsule when the type is asked."},
    {.id = "XAPI-03",
     .level = Level::kMust,
     .title = "It is a PyCapsule named \"dlpack_exchange_api\".",
     .citation = "dlpack.h 1.3, DLPackExchangeAPI (lines 537-538); DLPack 1.3 Python "
                 "specification, C exchange API",
     .since = "v1.3 (v1.2 used an int under another name)",
     .contested = "C-21: dlpack.h says capsule at the top of the comment and int value sixty "
                  "lines below; the example and the Python page say capsule.",
     .checked = "Applies PyCapsule_IsValid with this name to the attribute.",
     .remedy = "Build it by PyCapsule_New(&table, \"dlpack_exchange_api\", NULL) with a string "
               "literal and without a destructor."},
    {.id = "XAPI-04",
     .level = Level::kMust,
     .title = "The table lives as long as the process and is the same for all instances of the "
              "type.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPI (lines 598-600); array API draft of April 2026, "
                 "array.__dlpack_c_exchange_api__",
     .since = "v1.2",
     .checked = "Compares the table's address over repeated look-ups, over instances, and after "
                "garbage collection, and reads it again at the end.",
     .remedy = "Use a static object, not one that the module state or the capsule owns."},
    {.id = "XAPI-05",
     .level = Level::kMust,
     .title = "header.version holds the DLPack version of the producer.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPIHeader::version (lines 513-518), example (lines "
                 "563-564)",
     .since = "v1.2",
     .checked = "Reads the header: major must be 1 and minor at least 2, and not above the newest "
                "version that the suite knows.",
     .remedy = "Set it from DLPACK_MAJOR_VERSION and DLPACK_MINOR_VERSION at compile time."},
    {.id = "XAPI-06",
     .level = Level::kMust,
     .title = "header.prev_api is NULL if there is no table of an older major.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPIHeader::prev_api (lines 519-528)",
     .since = "v1.2",
     .contested = "C-21: the example in dlpack.h sets a field prev_version_api, which the struct "
                  "calls prev_api; the struct decides.",
     .checked = "Follows the chain: it must end in NULL, and each header must have a lower major "
                "than the one before.",
     .remedy = "Initialise prev_api with NULL; do not link tables of the same major."},
    {.id = "XAPI-07",
     .level = Level::kMust,
     .title = "managed_tensor_allocator, managed_tensor_from_py_object_no_sync, "
              "managed_tensor_to_py_object_no_sync and current_work_stream are not NULL.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPI (lines 612-629, 636-641)",
     .since = "v1.2",
     .checked = "Reads the four pointers and expects each to be non-NULL and in executable memory.",
     .remedy = "Implement all four. A function that cannot serve a request returns -1 with an "
               "error set."},
    {.id = "XAPI-08",
     .level = Level::kInfo,
     .title = "dltensor_from_py_object_no_sync may be NULL.",
     .citation = "dlpack.h 1.3, DLPackExchangeAPI (lines 630-635)",
     .since = "v1.2",
     .checked = "Records whether it is NULL; XAPI-14 is not applicable then.",
     .remedy = "Nothing. Leave it NULL if shape and strides cannot be lent without an allocation."},
    {.id = "XAPI-09",
     .level = Level::kMust,
     .title = "The allocator reads only dtype, ndim, shape and device of the prototype, and "
              "returns an owning tensor with these.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorAllocator (lines 380-398)",
     .since = "v1.2",
     .checked = "Passes prototypes whose data, strides and byte_offset are garbage, compares the "
                "four properties of the result, writes all its elements, and calls its deleter.",
     .remedy = "Allocate compact memory from shape and dtype, fill strides yourself, and ignore "
               "the other fields."},
    {.id = "XAPI-10",
     .level = Level::kMust,
     .title = "The allocator calls SetError exactly when it fails, and then reports the failure.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorAllocator (lines 393-395)",
     .since = "v1.2",
     .contested =
         "C-22: the comment speaks of a returned pointer or NULL while the function "
         "returns int, and leaves the meaning of kind open; -1 and one SetError call are expected "
         "on failure, 0 and none on success.",
     .checked = "Requests an impossible dtype, device and a negative extent with a counting "
                "SetError, and a good tensor besides.",
     .remedy = "Route all error paths, caught exceptions included, through one place that calls "
               "SetError once with a class name such as \"BufferError\" and returns -1."},
    {.id = "XAPI-11",
     .level = Level::kMust,
     .title = "The allocator works without the GIL; SetError takes it if it needs it.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorAllocator (lines 396-399)",
     .since = "v1.2",
     .checked = "Calls the allocator, for success and for failure, with the GIL released, and "
                "from a thread that the interpreter never saw; it must answer as with the GIL.",
     .remedy = "Touch no Python API in the allocator; hand kind and message to SetError and do "
               "not set a Python exception there."},
    {.id = "XAPI-12",
     .level = Level::kShould,
     .title = "managed_tensor_from_py_object_no_sync gives an owning versioned struct; a failure "
              "sets a Python exception, BufferError if the data cannot be described.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorFromPyObjectNoSync (lines 408-424)",
     .since = "v1.2",
     .checked = "Exports the matrix of arrays and the refusals; checks out, the struct, and the "
                "exception: BufferError wherever __dlpack__ raises it for the same array.",
     .remedy = "Share the code with __dlpack__(max_version=(1, 3)), so that both raise the same "
               "exceptions."},
    {.id = "XAPI-13",
     .level = Level::kMust,
     .title = "No C++ exception leaves a function of the table.",
     .citation = "dlpack.h 1.3, notes on the function types (lines 396, 422, 451, 477)",
     .since = "v1.2",
     .checked = "Calls each function with input that it must refuse, inside a try block; an "
                "exception that arrives there is the fault.",
     .remedy = "Wrap every function body in try and catch (...), and declare it noexcept."},
    {.id = "XAPI-14",
     .level = Level::kMust,
     .title = "dltensor_from_py_object_no_sync fills the caller's DLTensor with pointers that the "
              "array owns and that stay valid until control returns to Python.",
     .citation = "dlpack.h 1.3, DLPackDLTensorFromPyObjectNoSync (lines 431-453)",
     .since = "v1.2",
     .checked =
         "Compares the filled struct with the managed one of XAPI-12 field by field, and, where "
         "that one shares the array's memory, the address of the first element; memory that grows "
         "over many calls shows temporary allocation. Not applicable when the "
         "pointer is NULL.",
     .remedy = "Point shape and strides at the array's own vectors; if there are none with int64 "
               "entries, leave the function NULL."},
    {.id = "XAPI-15",
     .level = Level::kMust,
     .title = "The functions return 0 on success and -1 with a Python exception on failure.",
     .citation = "dlpack.h 1.3, function types (lines 450, 476, 500)",
     .since = "v1.2",
     .contested = "C-22: some comments speak of a returned pointer or NULL while every function "
                  "returns int and writes through an out parameter; the signatures decide.",
     .checked = "Compares the return code with PyErr_Occurred after good and bad calls: 0 and no "
                "exception, or -1 and one. Absent devices and an object of another type are among "
                "the bad calls; a function that dies of the latter is not blamed, since the "
                "header leaves that to the caller.",
     .remedy = "Set the exception on every path that returns -1, and clear those that were "
               "handled on the way to 0."},
    {.id = "XAPI-16",
     .level = Level::kInfo,
     .title = "For kDLCPU current_work_stream may simply store NULL and succeed.",
     .citation = "dlpack.h 1.3, DLPackCurrentWorkStream (lines 466-470)",
     .since = "v1.2",
     .checked = "Pre-fills the output with a marker, asks for (kDLCPU, 0), and records return "
                "code and output.",
     .remedy = "Write NULL to *out_current_stream and return 0 for the CPU; do not leave the "
               "output untouched."},
    {.id = "XAPI-17",
     .level = Level::kMust,
     .title = "current_work_stream gives the framework's current stream of the device.",
     .citation = "dlpack.h 1.3, DLPackCurrentWorkStream (lines 460-464)",
     .since = "v1.2",
     .checked = "Makes a stream current by the framework's own means and compares the handle. "
                "Skipped without a CUDA device.",
     .remedy = "Query the stream that the framework launches on now, for the device id that was "
               "passed, and not the default stream."},
    {.id = "XAPI-18",
     .level = Level::kMust,
     .title = "managed_tensor_to_py_object_no_sync takes the tensor over and returns an object of "
              "the producer's type, whose end calls the deleter once.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorToPyObjectNoSync (lines 487-502)",
     .since = "v1.2",
     .checked = "Passes a struct of the suite with a counting deleter, checks type, shape and "
                "values of the object, drops it, collects garbage, and expects exactly one call, "
                "also where manager_ctx is NULL.",
     .remedy = "Store the pointer in the new object's storage and call tensor->deleter(tensor) in "
               "its destructor, if it is not NULL."},
    {.id = "XAPI-19",
     .level = Level::kInfo,
     .title = "Whether the tensor is taken over when the import fails is not defined.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorToPyObjectNoSync (lines 487-502)",
     .since = "v1.2",
     .checked = "Passes a struct with a dtype that the producer lacks and records whether the "
                "deleter ran; two calls are noted as a fault.",
     .remedy = "Choose one behaviour for all error paths and document it; never call the deleter "
               "and also leave the tensor to the caller."},
    {.id = "XAPI-20",
     .level = Level::kShould,
     .title = "The table and __dlpack__(max_version=(1, x)) describe the same tensor and refuse "
              "the same arrays.",
     .citation = "dlpack.h 1.3, DLPackManagedTensorFromPyObjectNoSync (lines 408-424); array API "
                 "draft of April 2026, Data interchange mechanisms, C exchange API",
     .since = "v1.2",
     .checked = "Compares both structs field by field over the matrix of arrays, and both answers "
                "over the refusals.",
     .remedy = "Build both paths on one export function; checks that exist in the Python method "
               "only (autograd, lazy bits, devices) must move down into it."},
    {.id = "XAPI-21",
     .level = Level::kMust,
     .title = "The functions named no_sync do no stream synchronisation.",
     .citation = "dlpack.h 1.3, function types (lines 411-412, 442-443, 493)",
     .since = "v1.2",
     .checked = "Starts long work on the current stream and expects both functions that export "
                "to return before it ends. Skipped without a CUDA device.",
     .remedy = "Leave waiting to the consumer, who works on current_work_stream; do not call the "
               "path that __dlpack__ takes for its stream argument."},
    {.id = "XAPI-22",
     .level = Level::kShould,
     .title = "The table is static data of a C, C++ or Cython module; ctypes is discouraged "
              "because of the GIL.",
     .citation = "DLPack 1.3 Python specification, C exchange API; dlpack.h 1.3, "
                 "DLPackExchangeAPI (line 598)",
     .since = "v1.3",
     .checked = "Looks at where the function pointers lie: in the executable mapping of a file, "
                "or in anonymous memory as ctypes callbacks do.",
     .remedy = "Compile the functions; a ctypes callback takes the GIL in every call and dies "
               "with its Python object."},
    {.id = "XAPI-23",
     .level = Level::kMust,
     .title = "Structs from the table declare at least version 1.2 and have non-NULL strides.",
     .citation = "dlpack.h 1.3, DLTensor::strides (lines 264-273), function types (lines 405, 428)",
     .since = "v1.2",
     .checked = "Applies the checks of ABI-05 and SHAPE-03 to every struct that the allocator and "
                "the from function return; DLTensor of XAPI-14 must have strides too.",
     .remedy = "Fill version from the header that you compile with, and strides for every ndim > "
               "0."},
};

}  // namespace

std::span<const RequirementRow> XapiRows() { return kXapiRows; }

}  // namespace dlpc
