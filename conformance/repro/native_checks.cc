// As checks.cc, for programs in C++: what a plug-in behind dlpc/producer.h can do wrong. Parts of
// `seen` are separated by '|'.
#include "conformance/repro/checks.h"

namespace dlpc {
namespace native {

constexpr const char *kResult = "result(export0)", *kDeviceOf = "device0|place(inspect0)",
                     *kAddresses = "first(inspect0)|pointer0", *kBytes = "hexes(read0)|hexes(own0)",
                     *kSameBytes = "read0 == own0", *kDType = "dtype_of(inspect0)",
                     *kIsDType = "dtype_of(inspect0) == {dtype}", *kRefused = "!export0.ok()",
                     *kServed = "export0.ok()", *kFlags = "inspect0.flags",
                     *kTwo = "result(export0)|result(export1)", *kLegacy = "export0.out.legacy",
                     *kElements = "hexes(read0)|hexes(read1)";

constexpr ReproCheck kChecks[] = {
    {"DEV-01", "", "device0", "device0.size() == 2"},
    {"DEV-02", "", "device0", "device0.size() == 2 && known(device0[0])"},
    {"DEV-03", "", "device0", "device0.size() == 2 && device0[1] >= 0"},
    {"DEV-04", "", "device0",
     "device0.size() == 2 && std::set<int64_t>{1, 2, 3, 4, 7, 8, 9, 10, 13, 14}.count(device0[0])"},
    {"DEV-05", "", "inspect0.device.device_type", "known(inspect0.device.device_type)"},
    {"DEV-06", "dl-device/", "place(inspect0)|place(inspect1)|place(inspect2)",
     "cpu_0(inspect0) && cpu_0(inspect1) && cpu_0(inspect2)"},
    {"DEV-06", "", kDeviceOf, "device0 == (Ints{1, 0}) && place(inspect0) == (Ints{1, 0})"},
    {"DEV-07", "", kDeviceOf, "device0[0] == {type} && place(inspect0)[0] == {type}"},
    {"DEV-08", "", kDeviceOf, "device0[0] == 13 && place(inspect0)[0] == 13"},
    {"DEV-10", "", kDeviceOf, "device0 == place(inspect0)"},
    {"DEV-11", "", "place(inspect0)|place(inspect1)|place(inspect2)",
     "(!export0.ok() || place(inspect0) == {asked}) && (!export1.ok() || place(inspect1) == "
     "{asked}) && (!export2.ok() || place(inspect2) == {asked})"},
    {"DEV-12", "", "devices0.front()|devices0.back()",
     "std::set<Ints>(devices0.begin(), devices0.end()).size() == 1"},
    {"DEV-16", "", kDeviceOf, "device0[0] == 12 && place(inspect0)[0] == 12"},
    {"DEV-17", "", "place(inspect0)|inspect0.version",
     "place(inspect0)[0] < 19 || place(inspect0)[0] > 21 || inspect0.version > (Ints{1, 3})"},

    {"ABI-01", "", "inspect0.ndim|dtype_of(inspect0)|inspect0.lengths",
     "plausible(inspect0) && static_cast<int32_t>(inspect0.lengths.size()) == inspect0.ndim"},
    {"ABI-02", "", "inspect0.deleter", "!inspect0.deleter || is_code(inspect0.deleter)"},
    {"ABI-03", "", "inspect0.ndim|dtype_of(inspect0)|inspect0.deleter",
     "plausible(inspect0) && (!inspect0.deleter || is_code(inspect0.deleter))"},
    {"ABI-04", "", kDType, kIsDType},
    {"ABI-05", "", "inspect0.version",
     "inspect0.version[0] == 1 && inspect0.version[1] <= DLPACK_MINOR_VERSION"},
    {"ABI-06", "", kFlags, "(inspect0.flags & ~7ull) == 0"},
    {"ABI-08", "", "inspect0.deleter|hexes(read0)",
     "inspect0.deleter ? is_code(inspect0.deleter) : !read0.empty()"},
    {"ABI-09", "", "inspect0.data|address(facts0.allocation)|inspect0.byte_offset",
     "number(inspect0.data) == facts0.allocation"},
    {"ABI-10", "", "place(inspect0)|place(inspect1)|place(inspect2)",
     "same(inspect0, inspect1) && same(inspect0, inspect2) && inspect0.version == "
     "inspect1.version && inspect0.version == inspect2.version && inspect0.byte_offset == "
     "inspect1.byte_offset && inspect0.byte_offset == inspect2.byte_offset"},
    {"ABI-12", "", kTwo, "export0.out.legacy && export1.out.versioned"},
    {"ABI-13", "", "inspect0.version|inspect0.deleter|calls0",
     "inspect0.version[0] == 1 && inspect0.version[1] <= 64 && (!inspect0.deleter || "
     "(is_code(inspect0.deleter) && calls0 == 1))"},

    {"SHAPE-01", "", "inspect0.ndim|inspect0.lengths",
     "inspect0.ndim == {rank} && inspect0.lengths == {shape}"},
    {"SHAPE-02", "", "inspect0.steps|inspect1.steps|inspect2.steps",
     "inspect0.steps == inspect1.steps && inspect0.steps == inspect2.steps"},
    {"SHAPE-03", "", "inspect0.strides|inspect0.steps",
     "inspect0.strides && static_cast<int32_t>(inspect0.steps.size()) == inspect0.ndim"},
    {"SHAPE-04", "", kBytes, kSameBytes},
    {"SHAPE-05", "", "inspect0.shape|inspect0.strides",
     "(!inspect0.shape || readable(inspect0.shape, 1)) && (!inspect0.strides || "
     "readable(inspect0.strides, 1))"},
    {"SHAPE-06", "", kBytes, kSameBytes},
    {"SHAPE-07", "", "result(export0)|hexes(read0)|hexes(own0)",
     "export0.status == DLPC_BUFFER_ERROR || (export0.ok() && read0 == own0)"},
    {"SHAPE-08", "", kBytes, kSameBytes},
    {"SHAPE-10", "", "inspect0.lengths|inspect0.steps",
     "[&] { for (size_t i = 0; i < inspect0.steps.size(); ++i) { if (inspect0.lengths[i] == 1 && "
     "std::abs(inspect0.steps[i]) > INT64_MAX / {item}) return false; } return true; }()"},
    {"SHAPE-11", "", "inspect0.data", "inspect0.data == nullptr"},
    {"SHAPE-12", "", "inspect0.shape|inspect0.lengths",
     "inspect0.shape && static_cast<int32_t>(inspect0.lengths.size()) == inspect0.ndim"},
    {"SHAPE-13", "", "inspect0.data", "inspect0.data != nullptr"},
    {"SHAPE-14", "", "{rests}", "{rests} == Ints(16, 0)"},
    {"SHAPE-15", "", "first(inspect0)",
     "number(first(inspect0)) % std::max(1, inspect0.dtype.bits / (inspect0.dtype.code == "
     "kDLComplex ? 16 : 8)) == 0"},
    {"SHAPE-16", "", "first(inspect0)|address(facts0.allocation)|facts0.allocation_bytes",
     "[&] { const int64_t item = inspect0.dtype.bits * inspect0.dtype.lanes / 8; uint64_t low = "
     "number(first(inspect0)), high = low + item, end = facts0.allocation + "
     "facts0.allocation_bytes; for (size_t i = 0; i < inspect0.steps.size(); ++i) { const int64_t "
     "far = (inspect0.lengths[i] - 1) * inspect0.steps[i] * item; (far < 0 ? low : high) += far; } "
     "return (facts0.allocation <= low && high <= end) || high <= facts0.allocation || end <= low; "
     "}()"},
    {"SHAPE-17", "", "inspect0.lengths|inspect0.steps|inspect1.lengths|inspect1.steps",
     "inspect0.lengths == inspect1.lengths && inspect0.steps == inspect1.steps"},

    {"COPY-01", "", kAddresses, "first(inspect0) == pointer0"},
    {"COPY-02", "", kAddresses, "first(inspect0) == pointer0"},
    {"COPY-03", "", "result(export0)|first(inspect0)|pointer0",
     "export0.ok() && first(inspect0) != pointer0"},
    {"COPY-04", "", "first(inspect0)|pointer0|inspect0.flags",
     "first(inspect0) == pointer0 && !(inspect0.flags & 2)"},
    {"COPY-05", "", "result(export1)", "export1.status == DLPC_BUFFER_ERROR"},
    {"COPY-15", "", "result(export1)", "export1.status == DLPC_BUFFER_ERROR"},
    {"COPY-06", "", "first(inspect0)|pointer0|inspect0.flags",
     "first(inspect0) == pointer0 || (inspect0.flags & 2)"},
    {"COPY-07", "", "first(inspect0)|pointer0|inspect0.flags",
     "first(inspect0) != pointer0 || !(inspect0.flags & 2)"},
    {"COPY-08", "", "first(inspect0)|first(inspect1)|pointer0",
     "std::set<const void*>({first(inspect0), first(inspect1), pointer0}).size() == 3 && read1 == "
     "read2 && own0 == own1"},
    {"COPY-09", "", "result(export0)|first(inspect0)|pointer0",
     "!export0.ok() || first(inspect0) != pointer0"},
    {"COPY-10", "", kFlags, "!(inspect0.flags & 1)"},
    {"COPY-11", "", kAddresses, "first(inspect0) != pointer0"},
    {"COPY-12", "", kFlags, "((inspect0.flags & 1) != 0) == {readonly}"},
    {"COPY-13", "", "result(export0)|first(inspect0)|pointer0",
     "!export0.ok() || first(inspect0) != pointer0"},
    {"COPY-14", "", "result(export0)|place(inspect0)",
     "export0.ok() && place(inspect0) == (Ints{1, 0})"},
    {"COPY-16", "", kResult, "export0.ok() || export0.status == DLPC_BUFFER_ERROR"},
    {"COPY-17", "", "inspect0.lengths|dtype_of(inspect0)|hexes(read0)|hexes(own0)",
     "inspect0.lengths == {shape} && dtype_of(inspect0) == {dtype} && read0 == own0"},

    {"VER-01", "", kResult, kLegacy},
    {"VER-02", "", kResult, "export0.status == DLPC_BUFFER_ERROR || export0.out.legacy"},
    {"VER-03", "", "result(export0)|inspect0.version|inspect1.version",
     "export0.out.versioned && inspect0.version == inspect1.version"},
    {"VER-04", "", kResult, "export0.status == DLPC_BUFFER_ERROR || export0.out.legacy"},
    {"VER-05", "", kResult, kServed},
    {"VER-06", "", "inspect0.version|dtype_of(inspect0)", "inspect0.version >= (Ints{1, {since}})"},
    {"VER-07", "", "result(export0)|result(export{neighbour})",
     "!export0.out.versioned == !export{neighbour}.out.versioned"},
    {"VER-08", "", kTwo, "!export0.out.versioned == !export1.out.versioned"},
    {"VER-09", "", "result(export0)|inspect0.version", "inspect0.version[0] <= {major}"},
    {"VER-10", "", "place(inspect0)|dtype_of(inspect0)|place(inspect1)|dtype_of(inspect1)",
     "place(inspect0) == place(inspect1) && dtype_of(inspect0) == dtype_of(inspect1) && "
     "inspect0.lengths == inspect1.lengths && first(inspect0) == first(inspect1)"},
    {"VER-11", "", kTwo, "export0.ok() == export1.ok()"},

    {"PROTO-01", "", kResult, kServed},
    {"PROTO-03", "", kResult, "export0.status != DLPC_TYPE_ERROR"},
    {"PROTO-05", "own-device/cpu", "result(export0)|result(export1)|result(export2)",
     "export1.ok() && export2.ok() && same(inspect0, inspect1) && same(inspect0, inspect2)"},
    {"PROTO-05", "", kTwo, "export1.ok() && same(inspect0, inspect1)"},
    {"PROTO-08", "", kResult, kServed},
    {"PROTO-09", "", "calls0|calls1|calls2|calls3|inspect0.lengths|inspect1.lengths",
     "same(inspect0, inspect1) && calls0 == 1 && calls1 == 0 && calls3 <= 1"},
    {"PROTO-10", "", "hexes(own0)|hexes(own1)|hexes(own2)|hexes(own3)|result(export1)",
     "own0 == own1 && own1 == own2 && own2 == own3 && export1.ok()"},
    {"PROTO-11", "", kTwo, "export0.ok() || export1.ok()"},
    {"PROTO-13", "", "result(export0)|result(export1)|result(export2)",
     "(export0.ok() || export0.status == DLPC_BUFFER_ERROR) && (export1.ok() || export1.status == "
     "DLPC_BUFFER_ERROR) && export2.ok()"},

    {"DT-04", "", "dtype_of(inspect0)|hexes(read0)|hexes(own0)",
     "dtype_of(inspect0) == {dtype} && read0 == own0"},
    {"DT-05", "", "dtype_of(inspect0)|hexes(read0)",
     "dtype_of(inspect0) == {dtype} && std::all_of(read0.begin(), read0.end(), [](uint8_t b) { "
     "return "
     "b < 2; })"},
    {"DT-11", "zoo/", kFlags, "!(inspect0.flags & 4)"},
    {"DT-12", "", kDType, "inspect0.dtype.lanes == {dtype}[2]"},
    {"DT-13", "", kDType, "inspect0.dtype.code <= 17"},
    {"DT-14", "", kBytes, kSameBytes},
    {"DT-15", "", kDType, "inspect0.dtype.code != 3"},
    {"DT-16", "", kDType, "inspect0.dtype.bits * inspect0.dtype.lanes == 8 * {item}"},
    {"DT-01", "", kDType, kIsDType},
    {"DT-02", "", kDType, kIsDType},
    {"DT-03", "", kDType, kIsDType},
    {"DT-07", "", kDType, kIsDType},

    {"ERR-03", "", kResult, "export0.status == DLPC_BUFFER_ERROR"},
    {"ERR-09", "", "result(export0)|result(export2)|hexes(read0)|hexes(read1)",
     "export2.ok() && !export0.out.versioned == !export2.out.versioned && read0 == read1"},
    {"ERR-10", "negotiation/", kResult,
     "names(export0.text, {\"device\", \"kdl\", \"backend\", \"platform\", \"gpu\"})"},
    {"ERR-10", "max-version/", kResult, "names(export0.text, {\"version\"})"},

    {"ERR-12", "", kResult,
     "!std::regex_search(export0.text, "
     "std::regex(R\"(0x[0-9a-fA-F]{6,}|/[\\w.-]+(/"
     "[\\w.+-]+)+|\\w+\\.(cc|cpp|cu|h|hpp|py|rs):\\d+)\"))"},
    {"ERR-13", "", "result(export0)|result(export1)|hexes(own1)|hexes(read0)",
     "export1.ok() && own1 == {values} && read0 == {values}"},

    {"STREAM-01", "", kResult, kRefused},
    {"STREAM-02", "", kResult, kRefused},
    {"STREAM-06", "", kResult, kRefused},
    {"STREAM-07", "stream/rocm/stream-1", kResult, kRefused},
    {"STREAM-07", "stream/rocm/stream-2", kResult, kRefused},
    {"STREAM-07", "", kResult, kServed},
    {"STREAM-08", "", kResult, "export0.ok() || names(export0.text, {\"stream\"})"},
    {"STREAM-10", "", kBytes, kSameBytes},
    {"STREAM-12", "stream-absent", kBytes, kSameBytes},
    {"STREAM-12", "stream-none", kBytes, kSameBytes},
    {"STREAM-12", "negotiation/", kResult, kRefused},
    {"STREAM-13", "", kResult, kRefused},

    {"CAP-10", "", kElements, "read0 == read1"},
    {"ABI-11", "", "\"the deleter returned\"", "true"},
    {"MEM-05", "", "\"all deleters returned\"", "true"},
    {"MEM-07", "", "\"the deleter returned\"", "true"},
    {"CAP-13", "", "many1", "many1 < {many} * 32"},
    {"CAP-12", "", "many0", "many0[0] == many0[1]"},
    {"MEM-01", "", "consumed1", "consumed1 < std::max<int64_t>({many} * 32, 1 << 17)"},
    {"MEM-02", "", "consumed1", "consumed1 < std::max<int64_t>({many} * 32, 1 << 17)"},
    {"MEM-09", "", kElements, "read0 == read1"},
    {"MEM-10", "", "hexes(read0)|hexes(read1)|hexes(read2)|hexes(read3)|calls0|calls1|calls2",
     "read0 == read1 && read1 == read2 && read2 == read3 && calls0 == 1 && calls1 == 1 && calls2 "
     "== 1"},
    {"MEM-11", "", "result(export1)|hexes(own0)|hexes(own1)",
     "export1.ok() && own0 == own1 && (first(inspect1) == pointer0 || first(inspect0) != "
     "pointer0)"},
    {"MEM-12", "", "together1",
     "together1[0] == {many} && together1[1] == together1[2] && together1[2] == {many}"},
};

}  // namespace native

const ReproCheck* FindNativeCheck(std::string_view requirement, std::string_view script) {
  return FindRow(native::kChecks, requirement, script);
}

}  // namespace dlpc
