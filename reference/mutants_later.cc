// Twins with faulty streams, a faulty C exchange table, or paths that disagree.
#include "reference/mutants.h"

namespace dlpc {
namespace {

using enum Mutant;

constexpr MutantRow kMutants[] = {
    {kCpuStreamIgnored, "cpu-stream-ignored", "Any stream is accepted for CPU memory.", "STREAM-01",
     "STREAM-12"},
    {kNegativeStreamAccepted, "negative-stream-accepted",
     "Streams below -1 are accepted on CUDA and ROCm.", "STREAM-02", ""},
    {kCudaStreamZeroAccepted, "cuda-stream-zero-accepted", "stream=0 is accepted on CUDA.",
     "STREAM-06", ""},
    {kRocmStreamsAsCuda, "rocm-streams-as-cuda", "On ROCm 1 and 2 are accepted and 0 is not.",
     "STREAM-07", ""},
    {kStreamUnnamed, "stream-unnamed", "The refusal of a stream says 'not supported' only.",
     "STREAM-08", ""},
    {kPendingExported, "pending-exported",
     "An array is exported while its elements are still being computed.", "STREAM-10", ""},
    {kStreamCheckedOnSource, "stream-checked-on-source",
     "The stream is checked against the array's own device instead of dl_device.", "STREAM-12", ""},

    {kMinusOneWaits, "minus-one-waits", "stream=-1 is waited for as if it were a stream.",
     "STREAM-03", ""},
    {kStreamNotWaited, "stream-not-waited",
     "The given stream is checked and then forgotten: it does not wait for the data.", "STREAM-09",
     ""},

    {kTableAbsent, "table-absent", "There is no exchange table.", "XAPI-01", ""},
    {kTableOnInstanceOnly, "table-on-instance-only",
     "The exchange table is found on instances only: the type has none.", "XAPI-02", ""},
    {kTableCapsuleName, "table-capsule-name",
     "The capsule of the exchange table is named \"dlpack_exchange_api_v1\".", "XAPI-03", ""},
    {kTablePerInstance, "table-per-instance", "Each array has an exchange table of its own.",
     "XAPI-04", ""},
    {kTableVersionOld, "table-version-old", "The header of the table says version 1.1.", "XAPI-05",
     ""},
    {kTablePrevSelf, "table-prev-self", "prev_api of the table leads to the table itself.",
     "XAPI-06", ""},
    {kTableStreamNull, "table-stream-null", "current_work_stream is NULL.", "XAPI-07", ""},
    {kTableNoBorrow, "table-no-borrow", "dltensor_from_py_object_no_sync is NULL.", "XAPI-08", ""},
    {kAllocatorKeepsOffset, "allocator-keeps-offset",
     "The allocator copies byte_offset of the prototype.", "XAPI-09", ""},
    {kAllocatorSilent, "allocator-silent", "The allocator fails without a call of SetError.",
     "XAPI-10", ""},
    {kAllocatorNeedsLock, "allocator-needs-lock",
     "The allocator uses the interpreter without asking for its lock.", "XAPI-11", ""},
    {kTableRefusalTypeError, "table-refusal-type-error",
     "Functions of the table raise TypeError for data that DLPack cannot describe.", "XAPI-12", ""},
    {kTableThrows, "table-throws", "C++ exceptions leave the functions of the table.", "XAPI-13",
     ""},
    {kBorrowLeaks, "borrow-leaks", "Each borrowed DLTensor gets axes that nobody frees.", "XAPI-14",
     ""},
    {kBorrowOffsetLost, "borrow-offset-lost", "byte_offset of a borrowed DLTensor is 0.", "XAPI-14",
     ""},
    {kTableErrorUnset, "table-error-unset",
     "Functions of the table return -1 without an exception.", "XAPI-15", "XAPI-12"},
    {kStreamUntouched, "stream-untouched",
     "For the CPU current_work_stream succeeds without writing its output.", "XAPI-16", ""},
    {kStreamNull, "stream-null", "current_work_stream is always the default stream.", "XAPI-17",
     ""},
    {kImportNeverReleased, "import-never-released",
     "A tensor that the table took over is never deleted.", "XAPI-18", ""},
    {kImportFreesTwice, "import-frees-twice",
     "An import that fails calls the deleter of the tensor twice.", "XAPI-19", ""},
    {kTableExportsConjugate, "table-exports-conjugate",
     "The table exports conjugate views, which __dlpack__ refuses.", "XAPI-20", ""},
    {kTableSyncs, "table-syncs", "An export by the table waits for the current stream.", "XAPI-21",
     ""},
    {kTableAnonymous, "table-anonymous",
     "The functions of the table lie in anonymous memory, as callbacks of ctypes do.", "XAPI-22",
     ""},
    {kTableStructOld, "table-struct-old", "Structs from the table declare version 1.0.", "XAPI-23",
     ""},
    {kAllocatorNullStrides, "allocator-null-strides", "Structs of the allocator have NULL strides.",
     "XAPI-23", ""},

    {kLegacyOffsetLost, "legacy-offset-lost", "byte_offset of the legacy struct is 0.", "VER-10",
     "SHAPE-06,SHAPE-07,SHAPE-16,COPY-01,COPY-02,COPY-04"},
    {kLegacyRefusesViews, "legacy-refuses-views",
     "Views are exported by the versioned struct only.", "VER-11", ""},
};

}  // namespace

std::span<const MutantRow> LaterMutants() { return kMutants; }

}  // namespace dlpc
