// Requirements on streams. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kStreamRows[] = {
    {.id = "STREAM-01",
     .level = Level::kMust,
     .title = "Devices without streams, the CPU above all, accept no stream but None.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2021.12",
     .contested =
         "C-13: only None is legal on the CPU by the page; PyTorch takes -1 too, "
         "TVM-FFI, MLX and nanobind take anything, and no text names the exception. Only the "
         "acceptance of ints other than -1 fails, and any exception passes.",
     .checked = "Exports a CPU array with stream 0, 1, 2, -2 and 12345: each must raise. -1 and "
                "stray objects are tried and recorded.",
     .remedy = "Raise if stream is not None for an array on a device without streams; ValueError "
               "or BufferError fit; TypeError looks to consumers like an old producer."},
    {.id = "STREAM-02",
     .level = Level::kMust,
     .title = "On CUDA and ROCm a stream is an int of at least -1; anything else raises.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2023.12 (before: positive or -1)",
     .contested = "C-14: 2021.12 and 2022.12 asked for a positive int or -1 while they listed 0 "
                  "for ROCm; 2023.12 fixed that.",
     .checked = "Exports an accelerator array with stream=-2, 'x' and object() and expects an "
                "exception. Needs a GPU or an emulated one.",
     .remedy = "Check isinstance(stream, int) and stream >= -1 before the value is cast to a "
               "handle."},
    {.id = "STREAM-03",
     .level = Level::kMust,
     .title = "stream=-1 tells the producer not to synchronise.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2021.12",
     .checked =
         "Exports an accelerator array with -1 and counts what the runtime is asked: no stream "
         "may be made to wait. Needs an emulated device, whose runtime counts.",
     .remedy = "Return early on -1, before the current stream is looked up and before an event is "
               "recorded."},
    {.id = "STREAM-04",
     .level = Level::kMust,
     .title = "On CUDA None stands for the legacy default stream.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, values for CUDA",
     .since = "2021.12",
     .contested = "C-14: None must mean the legacy default stream; PyTorch 2.15.0 has -1 as the "
                  "default of the keyword and calls that a slight deviation.",
     .checked = "Starts long work on a side stream, exports with stream=None, and asks the legacy "
                "default stream: it must not be idle before the work is over. Needs a GPU.",
     .remedy = "Treat None like 1: let the legacy default stream wait for the array's stream. "
               "Keep None as the default in the signature."},
    {.id = "STREAM-05",
     .level = Level::kMust,
     .title = "On CUDA 1 is the legacy default stream, 2 the per-thread default stream, and "
              "larger numbers are handles.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, values for CUDA",
     .since = "2021.12",
     .checked = "Starts long work on a side stream, exports with 1, with 2, and with the handle of "
                "a fresh stream, and asks that stream: it must not be idle before the work is "
                "over. Needs a GPU; not applicable when the producer supports None only.",
     .remedy = "Translate 1 to cudaStreamLegacy and 2 to cudaStreamPerThread, cast larger values "
               "to cudaStream_t, and record an event and wait for it on that stream."},
    {.id = "STREAM-06",
     .level = Level::kMust,
     .title = "On CUDA stream=0 is rejected, because it is ambiguous.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, values for CUDA",
     .since = "2021.12",
     .checked = "Exports a CUDA array with stream=0 and expects an exception. Needs a GPU.",
     .remedy = "Raise on 0 for CUDA arrays; CuPy's warning is a courtesy to old callers and no "
               "model."},
    {.id = "STREAM-07",
     .level = Level::kMust,
     .title = "On ROCm None and 0 stand for the default stream, larger than 2 are handles, and 1 "
              "and 2 are not supported.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, values for ROCm",
     .since = "2021.12",
     .checked = "Exports a ROCm array with None and 0 and expects a capsule; 1 and 2 must raise. "
                "Needs a ROCm device.",
     .remedy = "Branch on the platform of the build (torch.version.hip and the like) and not on "
               "the name cuda."},
    {.id = "STREAM-08",
     .level = Level::kInfo,
     .title = "Support for any stream but None is optional.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, note",
     .since = "2021.12",
     .checked = "Records which stream values the producer serves; a refusal whose message does not "
                "speak of the stream is noted.",
     .remedy = "Nothing. A refusal should be a clear exception that names stream."},
    {.id = "STREAM-09",
     .level = Level::kMust,
     .title = "The producer makes the data safe to use on the given stream, waiting or "
              "synchronising where needed.",
     .citation = "DLPack Python specification, Semantics; array API 2025.12, array.__dlpack__, "
                 "parameter stream",
     .since = "2021.12",
     .checked = "Exports an accelerator array with the number of a stream: the runtime must be "
                "asked, for that very stream, to wait for the data. Needs an emulated device, "
                "whose runtime counts.",
     .remedy = "Record an event on the stream that last wrote the array, and let the given stream "
               "wait for it before the capsule is returned."},
    {.id = "STREAM-10",
     .level = Level::kMust,
     .title = "With stream=None on an asynchronous CPU backend the data are final when __dlpack__ "
              "returns.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2021.12",
     .checked = "Starts a long computation, exports its result at once, and reads all elements "
                "through the raw pointer. Not applicable to producers that compute synchronously.",
     .remedy = "Wait for the pending computation (block_until_ready and the like) inside "
               "__dlpack__ when the array is on the CPU."},
    {.id = "STREAM-11",
     .level = Level::kMust,
     .title = "The stream stays the consumer's: the producer neither destroys nor keeps it.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2021.12",
     .checked = "Exports on a stream and destroys that stream, which must still be there; then "
                "releases the export: nothing may fail. Needs a GPU.",
     .remedy = "Wrap the handle as an external, non-owning stream, and do not store it in "
               "manager_ctx for the deleter."},
    {.id = "STREAM-12",
     .level = Level::kMust,
     .title = "With dl_device given the stream must fit that device; for kDLCPU it must be None, "
              "and the producer synchronises.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, note on dl_device",
     .since = "2023.12",
     .checked = "Exports with dl_device=(1, 0) and stream=1 and expects an exception; with "
                "stream=None the elements read must be final.",
     .remedy = "Validate stream against dl_device and not against the source device, and wait for "
               "the copy to the host before returning."},
    {.id = "STREAM-13",
     .level = Level::kInfo,
     .title = "Other queue objects, such as SYCL queues, are allowed by agreement of both "
              "libraries.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream",
     .since = "2021.12",
     .checked = "Exports an array of a oneAPI device with an object that is no queue, and records "
                "whether that is noticed. No queue is passed: its type is private to the "
                "libraries. Needs a oneAPI device or an emulated one.",
     .remedy = "Nothing is demanded. Check the type of the queue, and document which is accepted."},
    {.id = "STREAM-14",
     .level = Level::kShould,
     .title = "Streams are handled explicitly, with 1 (CUDA) or 0 (ROCm) preferred over None for "
              "the default stream.",
     .citation = "array API 2025.12, array.__dlpack__, parameter stream, tip",
     .since = "2021.12",
     .checked =
         "Lets the library's own from_dlpack import a wrapper around an array of its own on an "
         "accelerator, and looks at the stream that it asks for; an import without one counts as "
         "None. Needs an emulated or real device.",
     .remedy = "Pass the number of the current stream explicitly, 1 or 0 for the default one, and "
               "support the same numbers in __dlpack__."},
};

}  // namespace

std::span<const RequirementRow> StreamRows() { return kStreamRows; }

}  // namespace dlpc
