// Requirements on errors. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kErrRows[] = {
    {.id = "ERR-01",
     .level = Level::kShould,
     .title = "Data that DLPack cannot express raise BufferError.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .contested =
         "C-15: the page recommends BufferError; JAX raises JaxRuntimeError, PyArrow "
         "TypeError and NotImplementedError, TensorFlow InvalidArgumentError, PyTorch ValueError "
         "for meta tensors in the device query.",
     .checked = "Exports each object of the adapter's refusals() (object, string, datetime, "
                "quantised, sparse arrays) and expects BufferError or a subclass.",
     .remedy = "Raise BufferError, or a class derived from it and from what you raise today so "
               "that old callers keep working."},
    {.id = "ERR-02",
     .level = Level::kShould,
     .title = "Failures for other reasons, such as bad arguments or lack of memory, do not use "
              "BufferError.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked = "Passes malformed keyword values and, where the allocator can be made to fail, "
                "copies under lack of memory; where an exception comes it must not be BufferError.",
     .remedy = "Raise TypeError or ValueError for arguments and MemoryError for memory; do not "
               "wrap everything in BufferError."},
    {.id = "ERR-03",
     .level = Level::kMust,
     .title = "A dl_device type that the producer cannot serve raises BufferError.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device",
     .since = "2023.12",
     .contested = "C-16: for the producer the page is clear; only on the consumer's side the "
                  "texts and libraries differ (BufferError, TypeError, RuntimeError, ValueError).",
     .checked = "Requests (16, 0), (99, 0), and (2, 0) on a CPU build: each must raise "
                "BufferError or a subclass. (1, 1) is tried and recorded if it is served.",
     .remedy = "End the device branch with BufferError for every type it does not know; no "
               "KeyError of a lookup, no RuntimeError of the runtime."},
    {.id = "ERR-04",
     .level = Level::kShould,
     .title = "Data in foreign byte order are refused with a message that says so.",
     .citation = "dlpack.h 1.3, DLDataType (lines 185-187)",
     .since = "v0.7",
     .checked =
         "Exports a byte-swapped array and expects an exception whose message names the "
         "byte order or endianness. Not applicable when the library cannot make such arrays; "
         "converting under copy=None or True passes.",
     .remedy = "Check the byte order first and raise BufferError with the words byte order in the "
               "message."},
    {.id = "ERR-05",
     .level = Level::kInfo,
     .title = "Sharded, distributed or sparse arrays may raise BufferError from either method.",
     .citation = "array API 2025.12, Data interchange mechanisms, Non-supported use cases",
     .since = "2023.12",
     .checked = "Calls both methods on such objects of refusals() and records classes and "
                "messages; that something is refused at all is judged by SHAPE-18.",
     .remedy = "Prefer BufferError in both methods, with the number of shards or the format in "
               "the message."},
    {.id = "ERR-06",
     .level = Level::kMust,
     .title = "Arrays with pending lazy transforms (conjugate or negative bit, unevaluated graph) "
              "are materialised or refused, never exported as raw storage.",
     .citation = "array API 2025.12, array.__dlpack__, Raises; DLPack Python specification, "
                 "Semantics",
     .since = "2022.12",
     .checked = "Exports conjugated, negated and unevaluated arrays: an exception passes, "
                "otherwise the elements must be the array's values as the library prints them.",
     .remedy = "Resolve lazy bits before taking the data pointer (resolve_conj, resolve_neg, "
               "eval), set IS_COPIED if that copies, or raise BufferError."},
    {.id = "ERR-07",
     .level = Level::kMust,
     .title = "Deleted, donated and traced arrays raise a Python exception and never crash.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked = "Calls both methods on such objects of the adapter's refusals(): any exception "
                "passes, a capsule fails, and a dead process is a crash.",
     .remedy = "Check that the buffer still exists before reading its address, and raise."},
    {.id = "ERR-08",
     .level = Level::kShould,
     .title = "Arrays with missing values (nulls, masks) are refused.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked = "Exports nullable and masked objects of refusals() that have a missing value and "
                "expects an exception; its class is judged by ERR-01.",
     .remedy = "Raise BufferError if null_count > 0 or any element is masked; the values under a "
               "mask are no data."},
    {.id = "ERR-09",
     .level = Level::kMust,
     .title = "After a refused export the array can be exported as before, and nothing was leaked.",
     .citation = "array API 2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked = "Provokes a refusal, then exports normally, reads the elements, and compares the "
                "reference count with the one before.",
     .remedy = "Change no state of the array before all checks have passed; undo partial work on "
               "the error path."},
    {.id = "ERR-10",
     .level = Level::kInfo,
     .title = "The message of a refusal names its cause: device, dtype, version or stream.",
     .citation = "dlpack.h 1.3, DLDataType (line 186) for byte order; otherwise not stated",
     .since = "not stated",
     .checked = "Expects of every refusal a message with a word for its cause: the device, the "
                "type, the version or the stream that was asked for, or what is odd about the "
                "array. Exact texts are ERR-11's subject.",
     .remedy = "Say what was asked for and what is possible, for example which device type was "
               "requested and where the array lives."},
    {.id = "ERR-11",
     .level = Level::kShould,
     .title = "Where the device map has the framework's texts, a refusal because of the place has "
              "exactly the text of its table.",
     .citation = "array API 2025.12, array.__dlpack__, Raises; the framework's own source, cited "
                 "row by row in docs/device-map.md",
     .since = "2022.12",
     .checked = "Asks arrays on every emulated place for their device and for an export; where "
                "they refuse, the message must equal that of the table for this release. The "
                "class is judged by ERR-01 and ERR-05. Not applicable without a table.",
     .remedy = "If the text was changed on purpose, tell users, whose scripts may look for it, and "
               "have the table brought up to date."},
    {.id = "ERR-12",
     .level = Level::kInfo,
     .title = "The message of a refusal holds no address and no path of a source file.",
     .citation = "Not stated; addresses make logs differ and tell where memory is",
     .since = "not stated",
     .checked = "Looks in every refusal for 0x followed by six or more hexadecimal digits, for "
                "absolute paths, and for file names with a line number.",
     .remedy = "Say what the user did, not where the library noticed it: keep file, line and "
               "addresses for a debug log."},
    {.id = "ERR-13",
     .level = Level::kShould,
     .title = "Around each refusal there is a way: reading on the host, or the call without what "
              "was refused, gives the array's values.",
     .citation = "array API 2025.12, array.__dlpack__, Raises; parameters copy and dl_device",
     .since = "2023.12",
     .checked = "Provokes refusals (read-only by the legacy struct, unknown devices, copy=False, "
                "streams, old versions, places without a device type), reads the array by the "
                "library's own means, and repeats the call as the remedy in the report says: "
                "copy=True, dl_device=(1, 0), without stream and so on. What the adapter's "
                "remedies() make of its refusals() (a detached, dense, resolved, native or filled "
                "copy) is exported, too. The elements must be the array's.",
     .remedy = "Keep the array untouched by a refusal, and serve copy=True and dl_device=(1, 0) "
               "for every array that you can read yourself."},
};

}  // namespace

std::span<const RequirementRow> ErrRows() { return kErrRows; }

}  // namespace dlpc
