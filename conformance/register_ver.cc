// Requirements on version negotiation. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kVerRows[] = {
    {.id = "VER-01",
     .level = Level::kShould,
     .title = "Without max_version the legacy struct is still exported, for as long as the "
              "library can afford it.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked = "Exports with max_version absent and None and expects a capsule named dltensor. A "
                "BufferError, which VER-02 allows, shows here as a warning.",
     .remedy = "Keep the DLManagedTensor branch for max_version=None; many consumers do not pass "
               "the keyword yet."},
    {.id = "VER-02",
     .level = Level::kInfo,
     .title = "Since March 2025 a producer may answer max_version=None with BufferError; it gives "
              "that or a legacy capsule, nothing else.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked = "Exports with max_version absent and None: a legacy capsule or BufferError is "
                "fine, a versioned capsule or another exception is noted.",
     .remedy = "If the legacy branch is gone, raise BufferError with a message that names "
               "max_version. Never hand a versioned capsule to a caller that did not ask."},
    {.id = "VER-03",
     .level = Level::kShould,
     .title = "A consumer of the same or a newer version gets the producer's own highest version.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked =
         "Exports with max_version (1, 0), (1, 1), (1, 2), (1, 3) and (1, 99): each must "
         "give a versioned struct of the same version that (1, 99) gets. Not applicable to a "
         "producer that has the legacy struct only (ABI-12).",
     .remedy = "Compare the major only: with an equal major return your own version, also when "
               "the consumer's minor is older."},
    {.id = "VER-04",
     .level = Level::kShould,
     .title = "A consumer with an older major gets the legacy struct if it is still there, "
              "otherwise BufferError.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .contested = "C-18: the array API tests draw (0, 0) and demand success, JAX raises "
                  "BufferError below (0, 5), and the page allows both.",
     .checked = "Exports with max_version (0, 0), (0, 5) and (0, 8): a legacy capsule or "
                "BufferError passes, a versioned capsule or another exception does not.",
     .remedy = "Send every max_version with major 0 down the branch that serves None, and let "
               "that branch raise BufferError if it must."},
    {.id = "VER-05",
     .level = Level::kShould,
     .title = "A max_version above the producer's is no error: the producer answers with the "
              "version it has.",
     .citation = "array API 2025.12, array.__dlpack__, parameter max_version",
     .since = "2023.12",
     .checked = "Exports with max_version (2, 0) and (100, 3) and expects a capsule, no error.",
     .remedy = "Treat max_version as an upper bound. Test max_version >= own version first; do "
               "not compare majors for equality only."},
    {.id = "VER-06",
     .level = Level::kMust,
     .title = "The declared version is high enough for everything in the struct: 1.1 for FP8, FP6 "
              "and FP4, and non-NULL strides from 1.2.",
     .citation = "dlpack.h 1.3, DLPackVersion (lines 57-59); array API 2025.12, array.__dlpack__, "
                 "Notes",
     .since = "v1.0",
     .contested =
         "C-7: it is open whether NULL strides are forbidden below 1.2; C-17: by "
         "dlpack.h a new minor only adds enumerators, yet 1.2 changed the rule on strides and "
         "later device numbers came without a new minor.",
     .checked =
         "Looks up, for each versioned export, the lowest version that defines its dtype "
         "code and compares it with the declared one; device numbers are left to DEV-17. Legacy "
         "exports declare no version and are not judged.",
     .remedy = "Declare the version of the dlpack.h that defines the codes you use, or refuse "
               "those dtypes with BufferError."},
    {.id = "VER-07",
     .level = Level::kMust,
     .title = "Versions are ordered as pairs of numbers, so (1, 10) is newer than (1, 3) and (10, "
              "10) newer than both.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked = "Exports with max_version (1, 10) and expects the kind of capsule that (1, 99) "
                "gets, and with (10, 0) and expects what (2, 0) gets.",
     .remedy = "Compare (major, minor) tuples of integers; no strings, no floats such as 1.10, no "
               "packing that limits the minor to one digit."},
    {.id = "VER-08",
     .level = Level::kMust,
     .title = "The version is negotiated independently of stream, dl_device and copy.",
     .citation = "array API 2025.12, array.__dlpack__, signature",
     .since = "2023.12",
     .checked =
         "Crosses max_version (0, 8), (1, 0), (1, 3) and (2, 0) with copy absent, None, "
         "True and False and dl_device absent, None, the array's own and (1, 0): the kind of "
         "capsule must depend on max_version only. Combinations that are refused are left to the "
         "COPY and ERR rows.",
     .remedy = "Choose the struct before and apart from copying and device handling; the copy "
               "branch often has its own, older export call."},
    {.id = "VER-09",
     .level = Level::kMust,
     .title = "No struct has a major version above the one that the consumer named.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked = "Exports with max_version from (0, 0) to (1, 99): with major 0 never a versioned "
                "capsule, with major 1 never a struct of a higher major. A refusal passes.",
     .remedy = "Hand out the versioned struct only if max_version[0] is at least the major that "
               "the struct declares."},
    {.id = "VER-10",
     .level = Level::kMust,
     .title = "The legacy and the versioned struct of an array describe the same tensor.",
     .citation = "array API 2025.12, array.__dlpack__, max_version; dlpack.h 1.3, DLManagedTensor "
                 "and DLManagedTensorVersioned",
     .since = "2023.12",
     .checked = "Exports each array with and without max_version=(1, 3) and compares dtype, ndim, "
                "shape, strides, device and the address of the first element. NULL strides count "
                "as compact; which of the two copies is left to the COPY rows.",
     .remedy = "Fill the DLTensor of both structs in one function."},
    {.id = "VER-11",
     .level = Level::kShould,
     .title = "An array is exported both with and without max_version=(1, 3), or with neither.",
     .citation = "array API 2025.12, array.__dlpack__, Notes on max_version",
     .since = "2023.12",
     .checked = "Compares both answers over the matrix of arrays and the refusals. Not applicable "
                "where the legacy struct cannot say what the array is: read-only memory, types of "
                "less than a byte or newer than 1.0.",
     .remedy = "Make the checks before the struct is chosen; the older branch often lacks those "
               "that were added later."},
};

}  // namespace

std::span<const RequirementRow> VerRows() { return kVerRows; }

}  // namespace dlpc
