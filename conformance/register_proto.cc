// Requirements on the Python protocol and its keywords. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kProtoRows[] = {
    {.id = "PROTO-01",
     .level = Level::kMust,
     .title = "__dlpack__ takes the keywords stream, max_version, dl_device and copy, all None by "
              "default, in every combination.",
     .citation = "array API 2025.12, array.__dlpack__, signature",
     .since = "2021.12 (stream), 2023.12 (the others)",
     .checked = "Calls __dlpack__ with each of the 16 subsets of the keywords set to None, and "
                "expects a capsule each time. Not applicable to dl_device, copy and max_version on "
                "producers that claim an edition before 2023.12.",
     .remedy = "Declare all four keywords with default None and treat None exactly like an absent "
               "keyword."},
    {.id = "PROTO-02",
     .level = Level::kInfo,
     .title = "The parameters are keyword-only: a positional argument raises TypeError.",
     .citation = "array API 2025.12, array.__dlpack__, signature",
     .since = "2021.12",
     .checked = "Calls __dlpack__(None) and records the answer; anything but TypeError is a note.",
     .remedy = "Put a bare * before stream in the signature (METH_KEYWORDS with \"|$OOOO\" in C)."},
    {.id = "PROTO-03",
     .level = Level::kMust,
     .title = "A legal value of a known keyword never raises TypeError, because consumers take "
              "TypeError as the sign of an old producer.",
     .citation = "array API 2025.12, array.__dlpack__, Notes (logic for the consumer)",
     .since = "2023.12",
     .checked =
         "Passes legal values of each keyword, served or not (a device of another type, an "
         "old version, copy=False, an Enum in dl_device): a refusal must have another class than "
         "TypeError. A misspelt keyword is tried too, and only recorded if it is accepted.",
     .remedy = "Reserve TypeError for unknown keywords and wrong argument types; refuse what you "
               "cannot serve with BufferError."},
    {.id = "PROTO-04",
     .level = Level::kInfo,
     .title = "max_version is a pair of ints; something else is an argument error and is not "
              "taken for some version.",
     .citation = "array API 2025.12, array.__dlpack__, parameter max_version and Raises",
     .since = "2023.12",
     .checked = "Passes 1, [1, 0], (1,), (1, 0, 0) and ('1', '0') as max_version and records what "
                "comes back; a capsule or BufferError is a note.",
     .remedy = "Parse max_version as a tuple of exactly two ints and raise TypeError or "
               "ValueError otherwise."},
    {.id = "PROTO-05",
     .level = Level::kMust,
     .title = "dl_device has the format of the device tuple, and the producer takes its own "
              "answer back unchanged.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device",
     .since = "2023.12",
     .checked = "Passes the very tuple that __dlpack_device__() returned, and the same pair as "
                "plain ints: both must give the same export as dl_device=None.",
     .remedy = "Convert the first item with __index__ (or int()), so that ints, IntEnum and your "
               "own Enum are all understood."},
    {.id = "PROTO-06",
     .level = Level::kInfo,
     .title = "Malformed dl_device values are argument errors.",
     .citation = "array API 2025.12, array.__dlpack__, parameter dl_device and Raises",
     .since = "2023.12",
     .checked = "Passes 1, (1,), 'cpu', (1, 0, 0) and (None, 0) as dl_device and records the "
                "answer; a capsule is a note, a dead process a crash.",
     .remedy = "Check that dl_device is a tuple of two integers before unpacking it, and raise "
               "TypeError or ValueError."},
    {.id = "PROTO-07",
     .level = Level::kInfo,
     .title = "copy is True, False or None; other objects are rejected.",
     .citation = "array API 2025.12, array.__dlpack__, parameter copy",
     .since = "2023.12",
     .checked = "Passes 2, 'x' and an object() as copy and records the answer; a capsule is a "
                "note.",
     .remedy = "Compare copy with the three singletons instead of testing its truth; an array as "
               "copy would otherwise be evaluated."},
    {.id = "PROTO-08",
     .level = Level::kMust,
     .title = "__dlpack__ returns a PyCapsule.",
     .citation = "array API 2025.12, array.__dlpack__, Returns; DLPack Python specification, "
                 "Implementation",
     .since = "2021.12",
     .checked = "Applies PyCapsule_CheckExact to the result of every successful call.",
     .remedy = "Return the object from PyCapsule_New itself; no wrapper, no integer address, no "
               "coroutine."},
    {.id = "PROTO-09",
     .level = Level::kMust,
     .title = "Each call gives a new capsule that can be consumed or dropped without regard to "
              "the others.",
     .citation = "DLPack Python specification, Implementation (consumed exactly once)",
     .since = "2021.12",
     .checked =
         "Exports one array twice, consumes one and drops the other in both orders: the other's "
         "struct must be unchanged after the release, and each deleter is called once. Not "
         "applicable where both exports are one struct that counts its holders.",
     .remedy = "Allocate the capsule anew in every call, and share nothing that is not "
               "reference-counted."},
    {.id = "PROTO-10",
     .level = Level::kMust,
     .title = "An export neither changes nor disables the array.",
     .citation = "DLPack Python specification, Semantics",
     .since = "2021.12",
     .checked = "Reads the array by the library's own means before the export, while the capsule "
                "lives, after consumption and after release: the elements must stay the same.",
     .remedy = "Do not mark the array as moved, donated or locked when it is exported; hold a "
               "reference instead."},
    {.id = "PROTO-11",
     .level = Level::kMust,
     .title = "Every dtype of the array API standard can be exported.",
     .citation = "array API 2025.12, Data interchange mechanisms, item 2",
     .since = "2021.12",
     .checked =
         "Exports arrays of bool, int8 to int64, uint8 to uint64, float32, float64, "
         "complex64 and complex128; a refusal fails. A dtype that the library does not have is "
         "reported as not supported.",
     .remedy = "Add the missing rows to the dtype conversion; bool (code 6) and complex (code 5) "
               "are the usual gaps."},
    {.id = "PROTO-12",
     .level = Level::kMust,
     .title = "Both methods are ordinary methods, which also work on subclasses and through "
              "forwarding wrappers.",
     .citation = "DLPack Python specification, Syntax for data interchange with DLPack",
     .since = "2021.12",
     .checked =
         "Makes a trivial subclass of the array type and a wrapper that forwards both "
         "methods, and exports through them. The subclass part is not applicable when the type "
         "cannot be subclassed.",
     .remedy = "Define the methods on the type, and do not test for the exact type of self."},
    {.id = "PROTO-13",
     .level = Level::kShould,
     .title = "A library that implements DLPack alone, outside the array API standard, uses the "
              "same syntax and semantics.",
     .citation = "array API 2025.12, Data interchange mechanisms, note on standalone use",
     .since = "2021.12",
     .checked = "Runs the signature checks (keywords, defaults, capsule, both methods) on "
                "producers that do not claim the array API and sums their outcome up.",
     .remedy = "Offer __dlpack__ and __dlpack_device__ with the standard's keywords, beside any "
               "function such as to_dlpack() that you had before."},
};

}  // namespace

std::span<const RequirementRow> ProtoRows() { return kProtoRows; }

}  // namespace dlpc
