// Requirements on device mapping. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kDevRows[] = {
    {.id = "DEV-01",
     .level = Level::kMust,
     .title = "__dlpack_device__() answers with a tuple of two items, the device type and the "
              "device id.",
     .citation = "array API 2025.12, array.__dlpack_device__, Returns",
     .since = "2021.12",
     .checked = "Asks every array of the layout and dtype matrix for its device and looks at the "
                "returned object: it must be a tuple (a subclass counts) of size 2.",
     .remedy = "Return a plain tuple of two items from __dlpack_device__; not a list, not a "
               "device object of the library, no third item."},
    {.id = "DEV-02",
     .level = Level::kMust,
     .title = "The first item of the device tuple is an integer, an Enum member or another "
              "integer-like object, and its value is a DLDeviceType number.",
     .citation = "array API 2025.12, array.__dlpack_device__, Returns; dlpack.h 1.3, DLDeviceType "
                 "(lines 71-123)",
     .since = "2021.12",
     .contested =
         "C-6: the array API page annotates Enum and lists ten numbers, dlpack.h 1.3 has "
         "sixteen, and NumPy, CuPy, PyArrow, TensorFlow, MLX and TVM-FFI return a plain int; int, "
         "IntEnum and anything with __index__ are accepted.",
     .checked =
         "The first item must be an int, an Enum member or an object with __index__, and "
         "its number an enumerator of dlpack.h 1.3 or one of 19-21, which were merged after it. "
         "What kind of object it is gets recorded.",
     .remedy =
         "Return an int or an IntEnum whose value is the kDL... constant. A string, the "
         "library's own device object or a private number makes consumers fail before they see "
         "the data."},
    {.id = "DEV-03",
     .level = Level::kMust,
     .title = "The second item of the device tuple is an int that is zero or greater, and never "
              "None.",
     .citation = "array API 2025.12, array.__dlpack_device__, Returns; DLPack Python "
                 "specification, Implementation, warning on device_id",
     .since = "2021.12",
     .contested =
         "C-5: dlpack.h fixes id 0 for CPU, pinned and managed memory, Paddle answers "
         "None for CPU and its own tests assert that; here the id must be an int >= 0, whatever "
         "its value.",
     .checked = "Checks that the second item is an int (bool and None are not) and that it is not "
                "negative, for every array that the adapter can make.",
     .remedy = "Answer 0 where the library has no device index, as for CPU; never pass an "
               "optional index through unchanged."},
    {.id = "DEV-04",
     .level = Level::kInfo,
     .title = "The reported device type is among the ten that the array API page lists: 1, 2, 3, "
              "4, 7, 8, 9, 10, 13, 14.",
     .citation = "array API 2025.12, array.__dlpack_device__, list of device types",
     .since = "2021.12 (13 and 14 since 2023.12)",
     .contested = "C-6: the array API page calls its ten numbers the valid ones, while dlpack.h "
                  "1.3 also defines 11, 12 and 15-18.",
     .checked = "Membership of the first tuple item in the page's list. A number that only "
                "dlpack.h knows is a note, not a fault.",
     .remedy = "Nothing, if the number is right by dlpack.h and your device is simply missing on "
               "the page. Otherwise map the memory to the listed type that describes it."},
    {.id = "DEV-05",
     .level = Level::kMust,
     .title = "device.device_type in the struct is an enumerator that the header of the declared "
              "version defines; 0, 5, 6 and negative numbers do not occur.",
     .citation = "dlpack.h 1.3, DLDeviceType (lines 71-123)",
     .since = "v0.1 (the list grows with minor versions)",
     .checked =
         "Looks dl_tensor.device.device_type of every export up in the table of "
         "enumerators, for both structs. 19-21 are accepted as merged after 1.3 (see DEV-17).",
     .remedy =
         "Fill dl_tensor.device.device_type from a switch over the library's own device "
         "kinds that refuses with BufferError when it has no kDL... constant; do not cast the "
         "library's enum to DLDeviceType."},
    {.id = "DEV-06",
     .level = Level::kMust,
     .title = "Ordinary CPU memory is labelled kDLCPU (1) with device id 0, by the device tuple "
              "and in the struct.",
     .citation = "dlpack.h 1.3, kDLCPU (lines 76-77), DLDevice::device_id (lines 131-135)",
     .since = "v0.1 (id 0 since v0.6)",
     .contested = "C-4: no text demands in so many words that tuple and struct agree; for plain "
                  "CPU memory both values follow from the header.",
     .checked =
         "For every CPU array of the matrix compares tuple and struct with (1, 0); where "
         "the adapter offers several CPU devices (JAX with jax_num_cpu_devices), on each of them.",
     .remedy = "Write device_id 0 for CPU memory whatever ordinal the library gives its CPU "
               "device; an ordinal of a virtual or NUMA device does not belong into DLDevice."},
    {.id = "DEV-07",
     .level = Level::kMust,
     .title = "Page-locked host memory is labelled kDLCUDAHost (3) or kDLROCMHost (11), with a "
              "device id that is not negative (the header says 0).",
     .citation = "dlpack.h 1.3, kDLCUDAHost (lines 80-83), kDLROCMHost (lines 94-97), "
                 "DLDevice::device_id (lines 131-135)",
     .since = "v0.1 (3), v0.6 (11 and id 0)",
     .contested = "C-5: the header says id 0 for pinned memory, JAX reports the local hardware "
                  "id; the type is a MUST, an id other than 0 is recorded.",
     .checked =
         "Exports an array in pinned memory and compares the type in tuple and struct with "
         "the table for its platform. Not applicable unless the producer claims pinned memory (a "
         "GPU runtime, or an emulated platform).",
     .remedy = "Decide by the memory kind before the device: pinned host memory is 3 (CUDA) or 11 "
               "(ROCm), neither kDLCPU nor kDLCUDA. Set device_id to 0."},
    {.id = "DEV-08",
     .level = Level::kMust,
     .title = "CUDA managed (unified) memory is labelled kDLCUDAManaged (13), with a device id "
              "that is not negative (the header says 0).",
     .citation = "dlpack.h 1.3, kDLCUDAManaged (lines 104-107), DLDevice::device_id (lines "
                 "131-135)",
     .since = "v0.6",
     .contested = "C-5: the header says id 0 for managed memory, CuPy reports the physical "
                  "device; the type is a MUST, an id other than 0 is recorded.",
     .checked = "Exports an array in managed memory and compares the type in tuple and struct "
                "with 13. Not applicable unless the producer claims managed memory.",
     .remedy = "Remember per buffer that it came from cudaMallocManaged (or ask "
               "cudaPointerGetAttributes) and label it 13 with id 0 instead of kDLCUDA."},
    {.id = "DEV-09",
     .level = Level::kMust,
     .title = "Accelerator memory carries its own type (HIP memory 10, oneAPI USM 14, Metal 8, "
              "...) and the device index of the library that produces it.",
     .citation = "dlpack.h 1.3, DLDeviceType (lines 78-122); DLPack Python specification, "
                 "Implementation, warning on device_id",
     .since = "v0.1 (ROCm since v0.2, oneAPI since v0.7)",
     .checked = "Compares tuple and struct with the reference device map and with the adapter's "
                "own label of the array. Not applicable on a producer that only claims CPU memory; "
                "emulated platforms count and are marked so.",
     .remedy =
         "Pick the type from the platform of the build or of the buffer: a HIP build that "
         "reuses CUDA names must still write kDLROCM (10). Use the index that the library's own "
         "API shows to users."},
    {.id = "DEV-10",
     .level = Level::kShould,
     .title = "Without dl_device the struct names the same device as __dlpack_device__().",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device",
     .since = "2023.12 (implied before)",
     .contested = "C-4: the page only speaks of the same device; PyTorch answers kDLCUDAHost for "
                  "pinned tensors and writes kDLCPU into the struct.",
     .checked = "For every array of the matrix and each memory kind, by the legacy and by the "
                "versioned path, compares dl_tensor.device with the tuple, type and id.",
     .remedy = "Let __dlpack_device__ and the code that fills dl_tensor.device call one function."},
    {.id = "DEV-11",
     .level = Level::kMust,
     .title = "When a dl_device request is served, the struct names the requested device.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device",
     .since = "2023.12",
     .checked =
         "Exports with dl_device set to the array's own tuple, to (1, 0) and to devices of "
         "other types, each with copy absent, False and True, and compares dl_tensor.device with "
         "the request. A refusal is judged by ERR-03, COPY-05 and COPY-14, not here.",
     .remedy =
         "After serving dl_device, fill dl_tensor.device from the buffer that is exported, "
         "not from the source array; if the request cannot be served raise BufferError instead of "
         "ignoring it."},
    {.id = "DEV-12",
     .level = Level::kMust,
     .title = "__dlpack_device__ works without arguments, changes nothing, and answers the same "
              "every time.",
     .citation = "array API 2025.12, array.__dlpack_device__",
     .since = "2021.12",
     .checked = "Asks an array of each memory kind 100 times and counts answers that differ from "
                "the first.",
     .remedy = "Compute the answer from the array's buffer, not from global state such as the "
               "current device; do not move, wait for or allocate anything in the query."},
    {.id = "DEV-13",
     .level = Level::kInfo,
     .title = "Arrays that are no strided memory on one device (sharded, distributed, sparse) may "
              "make __dlpack_device__ raise BufferError.",
     .citation = "array API 2025.12, Data interchange mechanisms, Non-supported use cases",
     .since = "2023.12",
     .checked =
         "Asks each object of the adapter's refusals() for its device. A tuple and a "
         "BufferError are both fine; another exception class is a note. A crash is reported as a "
         "crash.",
     .remedy = "If the query cannot be answered for such an array, raise BufferError and name the "
               "cause in the message; consumers then skip or report it instead of failing on an "
               "unexpected class."},
    {.id = "DEV-14",
     .level = Level::kInfo,
     .title = "A type that can never export may leave out both methods; then instances do not "
              "have them either.",
     .citation = "array API 2025.12, Data interchange mechanisms, Non-supported use cases",
     .since = "2023.12",
     .checked = "Looks both names up on the type and on an instance. Methods that exist on "
                "instances only are noted, since consumers may ask the type.",
     .remedy = "Define __dlpack__ and __dlpack_device__ on the class, or nowhere; do not attach "
               "them to single instances."},
    {.id = "DEV-15",
     .level = Level::kMust,
     .title = "A type that has one of __dlpack__ and __dlpack_device__ has the other one too.",
     .citation = "DLPack Python specification, Syntax for data interchange with DLPack",
     .since = "2021.12",
     .checked = "Looks both names up on the type of each array that the adapter makes: both or "
                "neither.",
     .remedy = "Add the missing method. A consumer calls __dlpack_device__ first to choose the "
               "stream and cannot go on without it."},
    {.id = "DEV-16",
     .level = Level::kInfo,
     .title = "kDLExtDev (12) is reserved for extension devices, whose meaning the producer "
              "defines.",
     .citation = "dlpack.h 1.3, kDLExtDev (lines 98-103)",
     .since = "v0.3",
     .checked = "Where the producer claims memory of an extension device, tuple and struct are "
                "compared with type 12 and the outcome is recorded. Not applicable otherwise.",
     .remedy = "Use 12 for hardware that has no enumerator, and document what data means there; "
               "do not borrow the number of another vendor."},
    {.id = "DEV-17",
     .level = Level::kInfo,
     .title = "A device number that a later header added appears only in structs whose declared "
              "version contains it; 19-21 are newer than 1.3.",
     .citation = "dlpack.h 1.3, DLPackVersion (lines 57-59), DLDeviceType (lines 118-122); "
                 "dmlc/dlpack pull request 188",
     .since = "merged after v1.3, unreleased",
     .contested = "C-3: JAX exports 20 (kDLTPUHost), which no released header defines; 19-21 were "
                  "merged upstream after 1.3 and the minor version was not raised.",
     .checked = "Looks the device type up by the version that the struct declares. 19-21 are "
                "reported as newer than the declared version.",
     .remedy = "Nothing until a release of dlpack.h contains the number; then declare at least "
               "that minor version in structs that use it."},
    {.id = "DEV-18",
     .level = Level::kShould,
     .title = "Where the device map has the framework's table, query and struct name the device of "
              "its row.",
     .citation = "array API 2025.12, array.__dlpack_device__; the framework's own source, cited "
                 "row by row in docs/device-map.md",
     .since = "2022.12",
     .checked = "Compares what query and struct say, for arrays on every emulated kind of memory "
                "and place, with the table for the producer's release: type, id, and whether the "
                "query answers at all. Not applicable without a table.",
     .remedy = "If the answer was changed on purpose, tell users and have the table brought up to "
               "date; else look which branch the array takes now."},
};

}  // namespace

std::span<const RequirementRow> DevRows() { return kDevRows; }

}  // namespace dlpc
