// Requirements on zero copy, copies, read-only data. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kCopyRows[] = {
    {.id = "COPY-01",
     .level = Level::kMust,
     .title = "An export shares the array's memory whenever that is possible.",
     .citation = "DLPack Python specification, Semantics; array API 2025.12, Data interchange "
                 "mechanisms, item 4",
     .since = "2021.12",
     .checked =
         "Exports without copy= and compares data + byte_offset with the address that the "
         "library itself gives for the array; then writes on one side and reads on the other "
         "where both can be written. Views count: DLPack has strides for them.",
     .remedy = "Export the array's own buffer with its strides. Look for a hidden contiguous() or "
               "astype() on the way to __dlpack__."},
    {.id = "COPY-02",
     .level = Level::kMust,
     .title = "copy=None shares the memory if possible and copies only otherwise.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12",
     .checked =
         "Exports with copy=None for several layouts and dtypes by both paths: the address "
         "must be the library's own, and writes must be seen on the other side where both can be "
         "written.",
     .remedy = "Treat None as the default branch: share, and copy only when the buffer cannot be "
               "described or reached."},
    {.id = "COPY-03",
     .level = Level::kMust,
     .title = "copy=True always gives a copy, made by the producer.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12",
     .checked =
         "Exports with copy=True and max_version=(1, 3): the address must differ from the "
         "array's, and writes on one side must not be seen on the other. A refusal fails as well, "
         "since the call must copy.",
     .remedy = "Allocate a buffer, copy the elements, and let the struct own that buffer alone; "
               "set IS_COPIED (COPY-06)."},
    {.id = "COPY-04",
     .level = Level::kMust,
     .title = "copy=False never gives a copy.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12",
     .checked = "Exports with copy=False: the address must be the array's own and IS_COPIED "
                "clear. A refusal is not judged here but by COPY-05.",
     .remedy = "Pass copy=False down to every place that may materialise data, and raise there "
               "instead."},
    {.id = "COPY-05",
     .level = Level::kMust,
     .title = "copy=False raises BufferError where only a copy could serve the request.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12 (text settled 2024.12)",
     .contested =
         "C-1: the page of __dlpack__ says BufferError since 2024.12, from_dlpack still "
         "lists ValueError, and PyTorch, CuPy, JAX and MLX raise ValueError from the producer.",
     .checked =
         "Requests devices other than the array's with copy absent and with copy=False: "
         "where the first was served by a copy, the second must raise BufferError or a subclass. "
         "ValueError is named as the known deviation. Not applicable when the device is not "
         "served at all.",
     .remedy = "Raise BufferError instead of ValueError or RuntimeError on this path; a class "
               "derived from both keeps old callers working."},
    {.id = "COPY-06",
     .level = Level::kMust,
     .title = "Whenever the data were copied, IS_COPIED is set.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy; DLPack Python "
                 "specification, Semantics",
     .since = "v1.0 / 2023.12",
     .contested = "C-10: the flag is a MUST, but the legacy struct has no place for it; only "
                  "versioned structs are judged.",
     .checked =
         "In versioned exports whose address is not the array's own (copy=True, or a "
         "device request that forces a copy) expects flags & 2. Not applicable to the legacy "
         "struct and to empty arrays.",
     .remedy = "OR DLPACK_FLAG_BITMASK_IS_COPIED into flags in the function that makes the copy, "
               "so that implicit copies get it too."},
    {.id = "COPY-07",
     .level = Level::kMust,
     .title = "IS_COPIED is clear on an export that shares the array's memory.",
     .citation = "dlpack.h 1.3, DLPACK_FLAG_BITMASK_IS_COPIED (lines 315-320)",
     .since = "v1.0",
     .checked = "In versioned exports whose address equals the array's own expects flags & 2 to "
                "be 0.",
     .remedy = "Derive the flag from what happened and not from the copy argument; a consumer "
               "that sees it takes the right to write."},
    {.id = "COPY-08",
     .level = Level::kMust,
     .title = "A tensor marked IS_COPIED shares memory neither with the array nor with another "
              "export.",
     .citation = "dlpack.h 1.3, DLPACK_FLAG_BITMASK_IS_COPIED (lines 315-320)",
     .since = "v1.0",
     .contested =
         "C-19: the Python specification says the producer keeps owning a copy, the "
         "header says the consumer is its sole owner until the deleter; both forbid an alias.",
     .checked = "Makes two exports with copy=True, compares their address ranges with each other "
                "and with the array's, writes into one, and reads the other and the array.",
     .remedy = "Make one fresh buffer per export; do not cache the copy and do not serve it from "
               "the array's own cache."},
    {.id = "COPY-09",
     .level = Level::kMust,
     .title = "copy=True through the legacy struct copies or raises, and is never ignored.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy and Notes on max_version",
     .since = "2023.12",
     .contested = "C-10: IS_COPIED is a MUST for copies, and the legacy struct cannot carry it; "
                  "to copy without the flag and to raise are both accepted.",
     .checked = "Exports with copy=True and no max_version, or (0, 8): an exception passes, "
                "otherwise the address must differ from the array's own.",
     .remedy = "Evaluate copy before choosing the struct. If an unflagged copy is not wanted, "
               "raise BufferError."},
    {.id = "COPY-10",
     .level = Level::kShould,
     .title = "A copy that was asked for may be written, so it does not carry READ_ONLY.",
     .citation = "array API 2025.12, Copy-view behavior and mutability, copy keyword",
     .since = "2024.12",
     .contested = "C-11: the page says a copy is there to be modified; JAX sets READ_ONLY "
                  "together with IS_COPIED and dpnp's tests want a copy of a read-only array to be "
                  "read-only, PyArrow and NumPy clear the flag.",
     .checked = "Reads flags of exports with copy=True, of writable and of read-only arrays: "
                "READ_ONLY must be clear.",
     .remedy = "Compute READ_ONLY for the buffer that is exported: a fresh copy is writable, "
               "whatever the source was."},
    {.id = "COPY-11",
     .level = Level::kShould,
     .title = "copy=True makes a physical copy unless the absence of side effects is guaranteed.",
     .citation = "array API 2025.12, Copy-view behavior and mutability, copy keyword",
     .since = "2024.12",
     .checked = "Compares addresses under copy=True also for read-only and immutable arrays. Not "
                "applicable to empty arrays.",
     .remedy = "Do not skip the copy because the array is read-only today: the consumer may write "
               "into what it was promised as a copy."},
    {.id = "COPY-12",
     .level = Level::kMust,
     .title = "READ_ONLY is set if the array must not be written, and only then.",
     .citation = "dlpack.h 1.3, DLPACK_FLAG_BITMASK_READ_ONLY (lines 312-313)",
     .since = "v1.0",
     .checked =
         "Compares flags & 1 of versioned, shared exports with what the library says about "
         "the array (writable or read-only). Not applicable where the adapter cannot tell, and to "
         "copies, which COPY-10 judges.",
     .remedy = "Take the flag from the writeable attribute of the exported view. Immutable "
               "libraries set it on every shared export."},
    {.id = "COPY-13",
     .level = Level::kInfo,
     .title = "A read-only array does not pass silently through the legacy struct, which has no "
              "flag for it.",
     .citation = "Not stated; compare array API 2025.12, array.__dlpack__, Notes on read-only "
                 "arrays",
     .since = "not stated",
     .contested = "C-12: no source rules it; NumPy raises BufferError, PyArrow "
                  "NotImplementedError, JAX exports immutable arrays as if they were writable.",
     .checked = "Exports a read-only array without max_version: an exception, a versioned capsule "
                "or a copy is fine; a legacy capsule on the array's own memory is noted.",
     .remedy = "Raise BufferError and name max_version=(1, 0) as the way out; if you export "
               "anyway, document it."},
    {.id = "COPY-14",
     .level = Level::kShould,
     .title = "dl_device=(kDLCPU, 0) gives memory that the interpreter can read, at least where "
              "copying is allowed.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device; DLPack Python "
                 "specification, Semantics",
     .since = "2023.12",
     .checked = "Requests (1, 0) for arrays on the CPU and on every other device that the "
                "producer claims: a capsule must come, and its struct must say (1, 0).",
     .remedy =
         "Accept (1, 0) on CPU arrays as a request for what is there already, and copy to "
         "host for other devices; compare the device type by value, since the tuple may hold an "
         "Enum."},
    {.id = "COPY-15",
     .level = Level::kMust,
     .title = "A request for the CPU that needs a copy raises BufferError under copy=False.",
     .citation = "array API 2025.12, array.__dlpack__, parameters dl_device and copy",
     .since = "2023.12",
     .contested = "C-1: older editions said ValueError in this paragraph, 2024.12 settled on "
                  "BufferError; CuPy and PyTorch raise ValueError, Paddle BufferError.",
     .checked =
         "Requests dl_device=(1, 0) for an array outside the CPU with copy absent and with "
         "copy=False: where the first was served by a copy, the second must raise BufferError. "
         "Not applicable on a producer that claims CPU memory only; emulated devices count and "
         "are marked so.",
     .remedy = "Raise BufferError before any transfer starts. Memory that the CPU can reach "
               "without a copy (pinned, managed) may be served."},
    {.id = "COPY-16",
     .level = Level::kInfo,
     .title = "Requests for other devices than the CPU are outside the standard; the producer may "
              "serve them or refuse.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device",
     .since = "2023.12",
     .checked = "Requests a second CPU device, CUDA, pinned, ROCm and Hexagon memory and records "
                "the answer; a refusal of another class than BufferError is noted.",
     .remedy = "Raise BufferError for any device that you do not serve; if you serve it, label "
               "the struct with it (DEV-11)."},
    {.id = "COPY-17",
     .level = Level::kMust,
     .title = "A copy has the values, shape and dtype of the array; its strides describe the copy.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12",
     .checked =
         "Exports several layouts with copy=True, sliced, reversed, broadcast and Fortran "
         "views among them, and compares shape, dtype and all elements of the copy. Strides may "
         "differ from the array's.",
     .remedy = "Copy element by element of the view (or a compact copy with compact strides); do "
               "not copy a block of the base and keep the view's strides."},
    {.id = "COPY-18",
     .level = Level::kInfo,
     .title = "The library's own import of host memory, pinned or not, uses that memory.",
     .citation = "array API 2025.12, from_dlpack, parameter copy",
     .since = "2023.12",
     .checked = "Lets the library's own from_dlpack import an array of its own without copy=, from "
                "CPU memory and from the pinned host memory of CUDA, ROCm, oneAPI and TPU, and "
                "compares the addresses that the library tells of both, and all elements. Pinned "
                "memory needs an emulated or real device.",
     .remedy = "Look at the device type of the struct: 3, 11 and 20 are memory that the host "
               "reaches; take it as it is, and copy only if copy=True asks for it."},
};

}  // namespace

std::span<const RequirementRow> CopyRows() { return kCopyRows; }

}  // namespace dlpc
