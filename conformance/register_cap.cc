// Requirements on the life of a capsule. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kCapRows[] = {
    {.id = "CAP-01",
     .level = Level::kMust,
     .title = "A capsule around a DLManagedTensor is named \"dltensor\".",
     .citation = "DLPack Python specification, Implementation (capsule name)",
     .since = "2021.12",
     .checked =
         "Exports without max_version and reads the name with PyCapsule_GetName. A "
         "versioned capsule that nobody asked for is left to VER-01. Not applicable when the "
         "producer refuses legacy exports, or is a native plug-in without capsules.",
     .remedy = "Pass the literal \"dltensor\" to PyCapsule_New for the unversioned struct."},
    {.id = "CAP-02",
     .level = Level::kMust,
     .title = "A capsule around a DLManagedTensorVersioned is named \"dltensor_versioned\".",
     .citation = "DLPack Python specification, Implementation (suffix _versioned)",
     .since = "v1.0 / 2023.12",
     .checked =
         "Exports with max_version=(1, 3) and reads the name. A capsule named dltensor "
         "means that the producer has no versioned struct, which ABI-12 and VER-03 report; any "
         "third name fails. Not applicable to native plug-ins, which have no capsules.",
     .remedy = "Pass the literal \"dltensor_versioned\" to PyCapsule_New for the versioned "
               "struct; consumers decide by this name which layout they read."},
    {.id = "CAP-03",
     .level = Level::kMust,
     .title = "The name of the capsule tells the truth about the struct behind it.",
     .citation = "DLPack Python specification, Implementation (suffix _versioned)",
     .since = "v1.0",
     .checked = "Reads the struct at the layout that the name promises, without following a "
                "pointer before it was probed. It fails when version, ndim, dtype, flags or device "
                "cannot be those of such a struct but make sense at the other layout.",
     .remedy = "Choose name and struct in one place. A common cause is a max_version branch that "
               "picks the name while another one picks the struct."},
    {.id = "CAP-04",
     .level = Level::kMust,
     .title = "The capsule has a destructor, and dropping a capsule that nobody consumed calls "
              "the struct's deleter.",
     .citation = "DLPack Python specification, Implementation (capsule destructor)",
     .since = "2021.12",
     .checked =
         "Puts a counting deleter in front of the struct's own, drops the capsule under "
         "its original name, and expects exactly one call with the capsule's own pointer. A "
         "destructor that releases without reading the deleter field is judged by effect: 10,000 "
         "dropped exports must leave no references, heap bytes or interpreter objects behind. Done "
         "for both structs.",
     .remedy = "Give PyCapsule_New a destructor that calls managed->deleter(managed) if the "
               "capsule still has its original name."},
    {.id = "CAP-05",
     .level = Level::kMust,
     .title = "Once a consumer renamed the capsule to its used_ name, the destructor leaves the "
              "struct alone.",
     .citation = "DLPack Python specification, Implementation (transfer of ownership by renaming)",
     .since = "2021.12",
     .checked =
         "Renames the capsule to used_dltensor or used_dltensor_versioned, drops it, and "
         "expects no call of the counting deleter. Then consumes and drops 200 more and expects "
         "200 "
         "different struct addresses: one that was freed would be handed out again. That also "
         "shows destructors that free without going through the deleter field. Where live "
         "exports share one struct, only the calls are counted.",
     .remedy = "Begin the destructor with PyCapsule_IsValid for the used_ name and return; mind "
               "that the versioned struct has its own used_ name."},
    {.id = "CAP-06",
     .level = Level::kShould,
     .title = "A destructor whose struct may have a NULL deleter checks for that before calling.",
     .citation = "DLPack Python specification, Implementation, example of a capsule destructor",
     .since = "2021.12",
     .checked =
         "Only where the producer itself exported a struct with a NULL deleter: drops the "
         "capsule and expects the process to survive. Not applicable to producers that always set "
         "a deleter; the field is never patched.",
     .remedy = "Write if (managed->deleter) managed->deleter(managed); in the capsule destructor."},
    {.id = "CAP-07",
     .level = Level::kShould,
     .title = "A capsule under an unknown name is neither freed nor fatal: at most an unraisable "
              "error is reported.",
     .citation = "DLPack Python specification, Implementation, example of a capsule destructor",
     .since = "2021.12",
     .checked = "Renames the capsule to a foreign name, drops it, and expects no deleter call, no "
                "exception left set and a living process; the same 200 times with 200 different "
                "struct addresses. Text that reaches sys.unraisablehook is accepted.",
     .remedy = "In the destructor fetch the pointer by the original name; if that fails call "
               "PyErr_WriteUnraisable and return."},
    {.id = "CAP-08",
     .level = Level::kMust,
     .title = "Capsule names are strings with static storage.",
     .citation = "DLPack Python specification, Implementation (note on names)",
     .since = "2021.12",
     .checked =
         "Makes 1000 exports that live at once and counts the addresses of their names: a "
         "few static copies are fine (at most 8), a number that grows with the exports is not.",
     .remedy = "Use string literals. A name built per call (std::string, a ctypes bytes object) "
               "dangles as soon as its owner dies, since a capsule stores the pointer only."},
    {.id = "CAP-09",
     .level = Level::kInfo,
     .title = "The destructor keeps an exception that was pending when the capsule died.",
     .citation = "DLPack Python specification of March 2024, Implementation, example of a capsule "
                 "destructor (saved and restored the exception; no longer in the text)",
     .since = "2022",
     .until = "2024-03",
     .contested =
         "C-20: the example once saved and restored the pending exception and asked "
         "whether a deleter may set one; both left the text in March 2024, while NumPy and JAX "
         "still differ in what they rely on.",
     .checked = "Drops an unconsumed capsule while an exception is pending and compares the "
                "exception before and after.",
     .remedy = "Bracket the body of the destructor with PyErr_Fetch and PyErr_Restore "
               "(PyErr_GetRaisedException and PyErr_SetRaisedException from Python 3.12)."},
    {.id = "CAP-10",
     .level = Level::kMust,
     .title = "An unconsumed capsule alone keeps the data alive when the array and all its names "
              "are gone.",
     .citation = "DLPack Python specification, Implementation (capsule destructor; the deleter "
                 "gives up the owner)",
     .since = "2021.12",
     .checked =
         "Exports, reads all elements, drops the array, collects garbage, allocates and "
         "frees many blocks filled with a pattern, then reads the elements again through the "
         "struct: they must be the same.",
     .remedy = "Hold a strong reference to the buffer's owner in manager_ctx from the export "
               "until the deleter runs."},
    {.id = "CAP-11",
     .level = Level::kMust,
     .title = "After consumption it does not matter whether the capsule or the consumer's array "
              "dies first.",
     .citation = "DLPack Python specification, Implementation (transfer of ownership by renaming)",
     .since = "2021.12",
     .checked =
         "Renames the capsule, calls the deleter, then drops the capsule: the counting "
         "deleter must have run exactly once. The other order is judged by CAP-05. Not applicable "
         "where a destructor does not go through the deleter field: nothing can be counted.",
     .remedy = "Let nothing but the struct own the export: the capsule of a consumed export must "
               "not free, touch or look at it."},
    {.id = "CAP-12",
     .level = Level::kMust,
     .title = "The producer hands out no capsule that was consumed before or that somebody else "
              "holds.",
     .citation = "DLPack Python specification, Implementation (consumed exactly once)",
     .since = "2021.12",
     .checked = "Makes 1000 exports of one array that live at once: 1000 different capsules, and "
                "only original names among them. A struct that counts its holders may be "
                "shared.",
     .remedy = "Create a new capsule per call; do not cache it on the array."},
    {.id = "CAP-13",
     .level = Level::kMust,
     .title = "A refused export leaves nothing behind: no capsule, no struct, no reference to the "
              "array.",
     .citation = "DLPack Python specification, Implementation (capsule destructor); array API "
                 "2025.12, array.__dlpack__, Raises",
     .since = "2022.12",
     .checked =
         "Makes 10,000 calls that the producer refuses (dl_device=(99, 0)) and compares the "
         "references to the array, the heap and the interpreter's objects before and after. Not "
         "applicable when references cannot be counted or the request is served.",
     .remedy =
         "Validate the arguments before taking references, or release both struct and owner "
         "on every error path; look at the path between allocating the struct and PyCapsule_New."},
};

}  // namespace

std::span<const RequirementRow> CapRows() { return kCapRows; }

}  // namespace dlpc
