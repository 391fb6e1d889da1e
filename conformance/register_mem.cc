// Requirements on ownership, deleter, threads. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kMemRows[] = {
    {.id = "MEM-01",
     .level = Level::kMust,
     .title = "The producer keeps owning the memory, also that of a copy it made; the struct only "
              "lends it until the deleter.",
     .citation = "DLPack Python specification, Semantics; dlpack.h 1.3, DLManagedTensor (lines "
                 "281-285), DLManagedTensorVersioned (lines 331-338)",
     .since = "v0.2",
     .contested =
         "C-19: the page says the producer owns a copy too, the header calls the "
         "consumer its sole owner until the deleter; tested is what follows from both: the "
         "deleter frees it.",
     .checked = "2000 times exports with copy=True, consumes and calls the deleter, and expects "
                "the process's memory to be back where it was.",
     .remedy = "Free the buffer in the deleter by the allocator that made it; never expect the "
               "consumer to free data itself."},
    {.id = "MEM-02",
     .level = Level::kMust,
     .title = "The deleter releases what manager_ctx holds, and the managed struct itself.",
     .citation = "dlpack.h 1.3, deleter (lines 301-307, 353-360)",
     .since = "v0.2 (versioned struct v1.0)",
     .checked = "Repeats export, consume and delete 10,000 times and watches memory and "
                "references for growth; under AddressSanitizer any leak of struct, shape or "
                "strides shows.",
     .remedy = "Free the struct (and the block with shape and strides) at the end of the deleter, "
               "after the owner was released."},
    {.id = "MEM-03",
     .level = Level::kMust,
     .title = "One deleter call gives back exactly the one reference that the export took.",
     .citation = "DLPack Python specification, Implementation (what the deleter usually does)",
     .since = "2021.12",
     .checked = "Reads the reference count of the array before the export, while it lives, and "
                "after the deleter: the last must equal the first. The same for an export of an "
                "import of an import of the array, by the library's own consumer.",
     .remedy = "Pair one Py_INCREF at export with one Py_DECREF in the deleter; look for a second "
               "reference that the capsule or the view holds."},
    {.id = "MEM-04",
     .level = Level::kMust,
     .title = "A deleter that touches Python objects takes the GIL itself.",
     .citation = "DLPack Python specification, Implementation (deleter and GIL)",
     .since = "2024-03 (v1.0)",
     .checked = "Consumes an export and calls its deleter on the interpreter's thread, after "
                "that gave the GIL back: the reference must come back. Then on another thread "
                "while this one holds the GIL: no reference count may change before the deleter "
                "had to wait for it.",
     .remedy = "Bracket the deleter with PyGILState_Ensure and PyGILState_Release "
               "(py::gil_scoped_acquire, nb::gil_scoped_acquire)."},
    {.id = "MEM-05",
     .level = Level::kMust,
     .title = "The deleter may run on any thread, unknown to Python or not, while another one "
              "holds the GIL.",
     .citation = "DLPack Python specification, Implementation (deleter and GIL)",
     .since = "2024-03 (v1.0)",
     .checked =
         "Releases one export on a thread that Python never saw, then 64 exports on four such "
         "threads at once, while the main thread alternates between holding and releasing the "
         "GIL; all references must come back and nothing may hang.",
     .remedy = "Use no thread-local or per-thread state (arena, current device, cached thread "
               "state) in the deleter, or set it up there."},
    {.id = "MEM-06",
     .level = Level::kShould,
     .title = "After interpreter finalisation the deleter does no harm; leaking is accepted.",
     .citation = "DLPack Python specification, Implementation, example of a deleter",
     .since = "2024-03 (v1.0)",
     .checked = "Keeps a consumed struct of each kind until the interpreter has ended, calls their "
                "deleters then, and expects them to return. A process that dies before or after "
                "that says nothing about the deleter.",
     .remedy = "Return early if !Py_IsInitialized() (or while the interpreter finalises) before "
               "touching any Python object."},
    {.id = "MEM-07",
     .level = Level::kMust,
     .title = "The deleter also works when the calling thread holds the GIL already, and does not "
              "deadlock.",
     .citation = "DLPack Python specification, Implementation (deleter and GIL)",
     .since = "2024-03 (v1.0)",
     .checked = "Calls the deleter on the interpreter's thread with the GIL held, under the time "
                "limit of the host.",
     .remedy = "Use PyGILState_Ensure, which nests; take no lock of the library that the "
               "exporting thread may hold, and wait for no other thread that needs the GIL."},
    {.id = "MEM-08",
     .level = Level::kInfo,
     .title = "The deleter neither clears a pending exception nor leaves one behind.",
     .citation = "DLPack Python specification of March 2024, Implementation, example of a capsule "
                 "destructor (question in a comment)",
     .since = "not stated",
     .contested = "C-20: the question whether a deleter may set an exception left the text in "
                  "March 2024 unanswered; NumPy relies on it not to raise, JAX saves and restores.",
     .checked = "Calls the deleter while an exception is pending and while none is, and compares "
                "the state before and after.",
     .remedy = "Save and restore the pending exception in the deleter, and report errors of its "
               "own with PyErr_WriteUnraisable."},
    {.id = "MEM-09",
     .level = Level::kMust,
     .title = "Until the deleter runs, data stay valid and untouched by the producer's "
              "housekeeping, whatever becomes of the array.",
     .citation = "dlpack.h 1.3, DLManagedTensor (lines 281-285); DLPack Python specification, "
                 "Implementation",
     .since = "v0.2",
     .checked = "Consumes an export, drops the array, collects garbage, allocates and frees many "
                "blocks, and compares all elements; also for an export of an import of an import, "
                "after all three arrays are gone.",
     .remedy = "Keep the buffer itself referenced from manager_ctx; a reference to the array "
               "object does not help if the array may swap or pool its buffer."},
    {.id = "MEM-10",
     .level = Level::kMust,
     .title = "Several exports of one array live side by side; each needs its own deleter call, "
              "in any order.",
     .citation = "DLPack Python specification, Implementation (consumed exactly once)",
     .since = "2021.12",
     .checked = "Makes three exports of one array, drops the array and releases them in all six "
                "orders; after each step the remaining ones must still read right, and each "
                "deleter is called once.",
     .remedy = "Take one reference per export. A flag such as \"exported\" on the array breaks as "
               "soon as there are two."},
    {.id = "MEM-11",
     .level = Level::kMust,
     .title = "The array keeps working after the deleter of one of its exports ran.",
     .citation = "DLPack Python specification, Semantics",
     .since = "2021.12",
     .checked = "Exports, consumes and deletes, then reads the array by the library's own means "
                "and exports it again: the same elements at the same place.",
     .remedy = "Let the deleter drop the export's reference only; it must not free or reset the "
               "buffer of a living array."},
    {.id = "MEM-12",
     .level = Level::kInfo,
     .title = "Exports from several threads at once are safe, also on free-threaded builds.",
     .citation = "Not stated by any source",
     .since = "not stated",
     .checked = "Makes 64 exports of one array on four threads at once and compares their "
                "contents, then releases them on four threads at once and compares references; "
                "under ThreadSanitizer races show.",
     .remedy = "Count references atomically, and build lazily made state (dtype tables, type "
               "lookups) once and under a lock."},
    {.id = "MEM-13",
     .level = Level::kInfo,
     .title = "The deleter gets the very pointer that the capsule held; a producer may rely on "
              "that address.",
     .citation = "dlpack.h 1.3, deleter (lines 301-307)",
     .since = "v0.2",
     .checked =
         "A rule for consumers, and so for the suite itself and for the capsule's destructor: a "
         "counting deleter records the pointer that each hands it.",
     .remedy =
         "In the destructor, hand the deleter the pointer that PyCapsule_GetPointer gave, not "
         "that of a copy of the struct."},
};

}  // namespace

std::span<const RequirementRow> MemRows() { return kMemRows; }

}  // namespace dlpc
