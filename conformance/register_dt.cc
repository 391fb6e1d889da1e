// Requirements on data types. Levels: docs/levels.md.
#include "conformance/register.h"

namespace dlpc {
namespace {

constexpr RequirementRow kDtRows[] = {
    {.id = "DT-01",
     .level = Level::kMust,
     .title = "Signed integers have code 0 and unsigned ones code 1, with 8, 16, 32 or 64 bits "
              "and 1 lane.",
     .citation = "dlpack.h 1.3, kDLInt and kDLUInt (lines 142-145), DLDataType examples (lines "
                 "189-192)",
     .since = "v0.1",
     .checked = "Exports one array per integer dtype that the producer claims and compares code, "
                "bits and lanes with the table.",
     .remedy = "Fill the dtype from a table per library dtype. Typical faults: unsigned as code "
               "0, platform long with the wrong width."},
    {.id = "DT-02",
     .level = Level::kMust,
     .title = "IEEE floats have code 2 with 16, 32 or 64 bits; formats that are not IEEE, such as "
              "x87 long double, are not exported under it.",
     .citation = "dlpack.h 1.3, kDLFloat (lines 146-147), DLDataType examples (line 190)",
     .since = "v0.1",
     .checked = "Compares float16, float32 and float64 with the table; where the library has a "
                "padded long double, its export must be refused.",
     .remedy = "Decide by format and not by size: refuse an 80-bit long double in 12 or 16 bytes "
               "with BufferError; bfloat16 has its own code."},
    {.id = "DT-03",
     .level = Level::kMust,
     .title = "bfloat16 has code 4 with 16 bits.",
     .citation = "dlpack.h 1.3, kDLBfloat (lines 153-154)",
     .since = "v0.3",
     .checked = "Exports a bfloat16 array and compares code, bits and lanes. Not applicable when "
                "the library has no such dtype; refusal with BufferError passes.",
     .remedy = "Map bfloat16 to kDLBfloat; neither kDLFloat with 16 bits nor an unsigned integer."},
    {.id = "DT-04",
     .level = Level::kMust,
     .title = "Complex numbers have code 5, bits counts both halves (64 or 128), and the real "
              "part comes first.",
     .citation = "dlpack.h 1.3, kDLComplex (lines 155-159), DLDataType examples (line 193)",
     .since = "v0.4",
     .checked = "Exports complex64 and complex128, compares the dtype with the table, and reads "
                "both halves of each element.",
     .remedy = "Set bits to 64 for complex64 and 128 for complex128, with lanes 1; not 32 bits "
               "with 2 lanes."},
    {.id = "DT-05",
     .level = Level::kMust,
     .title = "Booleans have code 6 with 8 bits: one byte per element, which is 0 or 1.",
     .citation = "dlpack.h 1.3, kDLBool (lines 160-161), DLDataType examples (line 194)",
     .since = "v0.8",
     .checked = "Exports a boolean array, compares the dtype, and looks at the raw bytes: only 0 "
                "and 1 may occur.",
     .remedy = "Use kDLBool with bits 8 and not uint8 or bits 1. Normalise other truth values "
               "where views make them possible."},
    {.id = "DT-06",
     .level = Level::kMust,
     .title = "Data that the dtype cannot express, such as bit-packed booleans, are refused.",
     .citation = "dlpack.h 1.3, DLDataType example bool (line 194); array API 2025.12, "
                 "array.__dlpack__, Raises",
     .since = "v0.8",
     .checked =
         "Exports each object of the adapter's refusals() whose element layout has no "
         "DLPack dtype and expects an exception; its class is judged by ERR-01. Not applicable "
         "when the adapter names none.",
     .remedy = "Raise BufferError for bit-packed, variable-length and tagged elements instead of "
               "exporting the carrier bytes."},
    {.id = "DT-07",
     .level = Level::kMust,
     .title = "FP8 types use their own codes 7 to 14 with 8 bits and 1 lane.",
     .citation = "dlpack.h 1.3, kDLFloat8_* (lines 162-170), DLDataType examples (line 195)",
     .since = "v1.1",
     .checked = "Exports each FP8 dtype that the producer claims and compares the code with the "
                "table; the declared version is judged by VER-06. Not applicable otherwise.",
     .remedy = "Map every FP8 format to its own code, variants with and without fn and fnuz "
               "apart; not to uint8."},
    {.id = "DT-08",
     .level = Level::kMust,
     .title = "FP6 types (codes 15 and 16) are exported with exactly 6 bits.",
     .citation = "dlpack.h 1.3, kDLFloat6_* (lines 171-176)",
     .since = "v1.1",
     .checked = "Exports FP6 arrays and compares bits with 6. Not applicable when the library has "
                "no FP6 dtype; BufferError passes.",
     .remedy = "Set bits to 6 even when each element occupies a byte; that is what "
               "IS_SUBBYTE_TYPE_PADDED is for."},
    {.id = "DT-09",
     .level = Level::kMust,
     .title = "The FP4 type (code 17) is exported with exactly 4 bits.",
     .citation = "dlpack.h 1.3, kDLFloat4_e2m1fn (lines 177-181)",
     .since = "v1.1",
     .contested = "C-9: the header's example has lanes 1, PyTorch exports a pair type with lanes "
                  "2 and refuses lanes 1; bits is a MUST, lanes is recorded.",
     .checked = "Exports FP4 arrays and compares bits with 4; lanes 1 or 2 is recorded. Not "
                "applicable when the library has no FP4 dtype.",
     .remedy = "Set bits to 4. Say by IS_SUBBYTE_TYPE_PADDED, not by bits, that elements occupy "
               "whole bytes."},
    {.id = "DT-10",
     .level = Level::kMust,
     .title = "Packed sub-byte data are little bit-endian: element i begins at bit i * bits.",
     .citation = "dlpack.h 1.3, DLDataType, note on packing (lines 199-200)",
     .since = "v1.1",
     .contested =
         "C-9: the size formula rounds each element up to a byte and the packing formula "
         "has a logical for a bitwise and; the packing that the text describes is tested, the "
         "formulas are not.",
     .checked = "Exports known FP4 and FP6 values and compares raw bytes: the first FP4 element "
                "is in the low nibble of the first byte. Not applicable when no sub-byte dtype is "
                "claimed or the export is padded.",
     .remedy = "Store element 0 in the least significant bits. Swap the nibbles on export if the "
               "library packs high nibble first."},
    {.id = "DT-11",
     .level = Level::kInfo,
     .title = "IS_SUBBYTE_TYPE_PADDED may be set where each sub-byte element has a byte of its "
              "own; without it data are packed.",
     .citation = "dlpack.h 1.3, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (lines 323-329)",
     .since = "v1.1",
     .checked =
         "Determines from the bytes that change with the elements whether sub-byte data "
         "are packed, and compares that with flags & 4; the flag on byte-sized dtypes is noted "
         "too.",
     .remedy = "Set the flag exactly for one element per byte of a sub-byte dtype. The legacy "
               "struct has no flag: pack there, or refuse."},
    {.id = "DT-12",
     .level = Level::kMust,
     .title = "lanes is 1 for scalars and the vector width otherwise, never 0.",
     .citation = "dlpack.h 1.3, DLDataType example float4 (line 191), DLDataType::lanes (lines "
                 "213-214)",
     .since = "v0.1",
     .checked = "Reads lanes of every export: at least 1, and 1 for every scalar dtype. Vector "
                "dtypes are compared with the adapter's claim.",
     .remedy = "Set lanes to 1 explicitly. A struct that is only zero-filled has lanes 0, hence "
               "elements without size."},
    {.id = "DT-13",
     .level = Level::kShould,
     .title = "code is one of the DLDataTypeCode enumerators.",
     .citation = "dlpack.h 1.3, DLDataType::code (lines 203-208)",
     .since = "v0.1",
     .checked = "Looks code up among the enumerators of the declared version; 18 (kDLBcomplex) is "
                "newer than 1.3.",
     .remedy = "Refuse dtypes without a code with BufferError; do not invent codes or pass a "
               "library enum through."},
    {.id = "DT-14",
     .level = Level::kMust,
     .title = "Elements are in the byte order of the machine.",
     .citation = "dlpack.h 1.3, DLDataType (line 185)",
     .since = "v0.7",
     .checked =
         "Reads the elements of every multi-byte dtype back as native numbers. Where the "
         "library can make byte-swapped arrays, their export must not show swapped values: it is "
         "refused (ERR-04) or converted.",
     .remedy = "Check the byte order of the dtype before exporting; raise for non-native data, or "
               "copy into native order with copy=None."},
    {.id = "DT-15",
     .level = Level::kMust,
     .title = "kDLOpaqueHandle (3) is not used for ordinary data; it needs an agreement of both "
              "sides.",
     .citation = "dlpack.h 1.3, kDLOpaqueHandle (lines 148-152)",
     .since = "v0.4",
     .checked = "Expects no export of a standard or extension dtype to have code 3.",
     .remedy = "Refuse object, string and other handle-like dtypes with BufferError, instead of "
               "exporting pointers as code 3."},
    {.id = "DT-16",
     .level = Level::kMust,
     .title = "bits and lanes describe the true element: bits * lanes / 8 is its size in bytes "
              "for byte-sized types.",
     .citation = "dlpack.h 1.3, DLDataType::bits and lanes (lines 209-214), size formula (lines "
                 "236-244)",
     .since = "v0.1",
     .checked = "Compares bits * lanes / 8 with the element size of the library and with the "
                "distance between elements in memory, for every byte-sized dtype.",
     .remedy = "Take bits from the storage size of one element. Do not use the significant bits "
               "of a type that is stored in more (x87, bool, 24-bit formats)."},
};

}  // namespace

std::span<const RequirementRow> DtRows() { return kDtRows; }

}  // namespace dlpc
