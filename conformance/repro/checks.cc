// One row for each requirement and kind of script: the judges of the area files, in a line of
// Python each, for programs that share nothing with them.
#include "conformance/repro/checks.h"

namespace dlpc {
namespace {

// Two exports that were asked for with copy=False where a copy would be needed, and the like.
constexpr std::string_view kBufferError = "isinstance(seen, BufferError)";
constexpr std::string_view kRefused = "seen is not None";
constexpr std::string_view kSameElements = "read0 == own0";
constexpr std::string_view kElements = "(read0, own0)";
constexpr std::string_view kAddresses = "(hex(inspect0.first), hex(pointer0))";
constexpr std::string_view kLegal = "seen in (b'dltensor', b'dltensor_versioned')";
constexpr std::string_view kDevices = "(place(device0), place(inspect0))";
constexpr std::string_view kDType = "inspect0.dtype";
constexpr std::string_view kIsDType = "seen == {dtype}";
constexpr std::string_view kTableCalls = "({calls})";

constexpr ReproCheck kDev[] = {
    {"DEV-01", "", "device0", "isinstance(seen, tuple) and len(seen) == 2"},
    {"DEV-02", "", "device0",
     "not isinstance(seen[0], str) and place(seen)[0] in {1, 2, 3, 4, *range(7, 22)}"},
    {"DEV-03", "", "device0", "isinstance(seen[1], int) and seen[1] >= 0"},
    {"DEV-04", "", "place(device0)", "seen[0] in (1, 2, 3, 4, 7, 8, 9, 10, 13, 14)"},
    {"DEV-05", "", "inspect0.device_type", "seen in {1, 2, 3, 4, *range(7, 22)}"},
    {"DEV-06", "dl-device/", "[place(t) for t in (inspect0, inspect1, inspect2)]",
     "all(d[1] == 0 for d in seen if d and d[0] == 1)"},
    {"DEV-06", "", kDevices, "all(d == (1, 0) for d in seen if d)"},
    {"DEV-07", "", kDevices, "all(d[0] == {type} and d[1] >= 0 for d in seen if d)"},
    {"DEV-08", "", kDevices, "all(d[0] == 13 and d[1] >= 0 for d in seen if d)"},
    {"DEV-09", "", kDevices,
     "all(d[0] == {type} and d[1] == ({label} or d)[1] >= 0 for d in seen if d)"},
    {"DEV-10", "", "(device0, export0.error or inspect0.device)",
     "isinstance(device0, Exception) and export0.error or place(device0) == seen[1]"},
    {"DEV-11", "", "[place(t) for t in (inspect0, inspect1, inspect2)]",
     "all(d == {asked} for d in seen if d)"},
    {"DEV-12", "", "set(map(repr, devices0))", "len(seen) == 1"},
    {"DEV-13", "", "device0", "not isinstance(seen, Exception) or isinstance(seen, BufferError)"},
    {"DEV-14", "", "probe0", "any(seen[:2]) or not any(seen[2:])"},
    {"DEV-15", "", "probe0", "seen[0] == seen[1]"},
    {"DEV-16", "", kDevices, "all(d[0] == 12 for d in seen if d)"},
    {"DEV-17", "", "(inspect0.device, inspect0.version)",
     "not 19 <= seen[0][0] <= 21 or seen[1] > (1, 3)"},
    {"DEV-18", "", "{map_seen}", "seen == {map}"},
};

constexpr ReproCheck kCap[] = {
    {"CAP-01", "", "export0.name", kLegal},
    {"CAP-02", "", "export0.name", kLegal},
    {"CAP-03", "", "vars(inspect0)", "plausible(inspect0)"},
    {"CAP-04", "", "(calls0, 'deleter calls', refs1 - refs0, 'references left')",
     "seen[0] == 1 or seen[0] == 0 and seen[2] < {many} // 2"},
    {"CAP-05", "", "(calls0, 'deleter calls', vars(consumed0))",
     "seen[0] == 0 and consumed0.distinct == consumed0.count"},
    {"CAP-07", "", "(calls0, 'deleter calls', vars(consumed0))",
     "seen[0] == 0 and consumed0.distinct == consumed0.count"},
    {"CAP-08", "", "places0", "seen <= 8"},
    {"CAP-09", "", "raised0", "seen == 'ZeroDivisionError'"},
    {"CAP-10", "", "(read0, read1)", "read0 == read1"},
    {"CAP-11", "", "(calls1, 'deleter calls')", "seen[0] == 1"},
    {"CAP-12", "", "vars(many0)",
     "many0.distinct == many0.capsules and many0.names <= {b'dltensor', b'dltensor_versioned'}"},
    {"CAP-13", "", "(refs1 - refs0, 'references left')", "seen[0] < {many} // 2"},
};

constexpr ReproCheck kMem[] = {
    {"MEM-01", "", "(refs1 - refs0, 'references', consumed1, 'bytes left')",
     "seen[0] < {many} // 2 and seen[2] < max({many} * 32, 1 << 17)"},
    {"MEM-02", "", "(refs1 - refs0, 'references', consumed1, 'bytes left')",
     "seen[0] < {many} // 2 and seen[2] < max({many} * 32, 1 << 17)"},
    {"MEM-03", "three-deep", "(refs1 - refs0, refs2 - refs0)", "seen[1] == 0"},
    {"MEM-03", "", "(refs1 - refs0, refs3 - refs0)", "seen[1] == 0"},
    {"MEM-04", "contended", "contended0", "seen[0] == seen[1]"},
    {"MEM-04", "", "refs3 - refs0", "seen == 0"},
    {"MEM-05", "released-together", "refs1 - refs0", "seen == 0"},
    {"MEM-05", "", "refs3 - refs0", "seen == 0"},
    {"MEM-06", "", "'the process came to its end'", "True"},
    {"MEM-07", "", "refs3 - refs0", "seen == 0"},
    {"MEM-09", "", "(read0, read1)", "read0 == read1"},
    {"MEM-10", "", "(read0, read1, read2, read3, calls0, calls1, calls2)",
     "read0 == read1 == read2 == read3 and seen[4:] == (1, 1, 1)"},
    {"MEM-11", "", "(export1.error, own0, own1, hex(pointer0), inspect1 and hex(inspect1.first))",
     "not export1.error and own0 == own1 and pointer0 in (inspect1.first, pointer0 * "
     "(inspect0.first != pointer0))"},
    {"MEM-12", "", "(together1, refs1 - refs0)",
     "seen[0][0] == 1 and seen[0][1] == seen[0][2] > 0 and seen[1] == 0"},
    {"MEM-13", "", "(calls0, [hex(pointer) for pointer in export{e}.calls])",
     "all(pointer == export{e}.managed for pointer in export{e}.calls)"},
};

constexpr ReproCheck kAbi[] = {
    {"ABI-01", "", "vars(inspect0)", "plausible(inspect0) and inspect0.shape is not None"},
    {"ABI-02", "", "hex(inspect0.deleter)", "inspect0.deleter == 0 or is_code(inspect0.deleter)"},
    {"ABI-03", "", "vars(inspect0)",
     "plausible(inspect0) and (inspect0.deleter == 0 or is_code(inspect0.deleter))"},
    {"ABI-04", "", kDType, kIsDType},
    {"ABI-05", "", "inspect0.version", "seen[0] == 1 and seen[1] <= {minor}"},
    {"ABI-06", "", "hex(inspect0.flags)", "inspect0.flags & ~7 == 0"},
    {"ABI-07", "", "(inspect0.context, refs1 - refs0)", "seen[0] != 0 or seen[1] == 0"},
    {"ABI-08", "", "(hex(inspect0.deleter), read0)",
     "(is_code(inspect0.deleter) if inspect0.deleter else read0 is not None)"},
    {"ABI-09", "", "(hex(inspect0.data), hex(allocation0[0]), inspect0.byte_offset)",
     "inspect0.data == allocation0[0]"},
    {"ABI-10", "",
     "[(fields(t), t.version, t.byte_offset) for t in (inspect0, inspect1, inspect2)]",
     "seen[0] == seen[1] == seen[2]"},
    {"ABI-11", "", "'the deleter returned'", "True"},
    {"ABI-12", "", "(export0, export1)",
     "(export0.name, export1.name) == (b'dltensor', b'dltensor_versioned')"},
    {"ABI-13", "", "(inspect0.version, hex(inspect0.deleter), calls0)",
     "1 <= seen[0][0] <= 16 and seen[0][1] <= 64 and (inspect0.deleter == 0 or "
     "is_code(inspect0.deleter) and calls0 == 1)"},
};

constexpr ReproCheck kShape[] = {
    {"SHAPE-01", "", "(inspect0.ndim, inspect0.shape)", "seen == (len({shape}), {shape})"},
    {"SHAPE-02", "", "(inspect0.strides, inspect1.strides, inspect2.strides)",
     "seen[0] == seen[1] == seen[2]"},
    {"SHAPE-03", "", "hex(inspect0.strides_at)", "inspect0.strides_at and inspect0.strides"},
    {"SHAPE-04", "", "(inspect0.strides_at and inspect0.strides, read0, own0)",
     "inspect0.strides_at or read0 == own0"},
    {"SHAPE-05", "", "(hex(inspect0.shape_at), hex(inspect0.strides_at))",
     "all(at == 0 or peek(at, 1) for at in (inspect0.shape_at, inspect0.strides_at))"},
    {"SHAPE-06", "", kElements, kSameElements},
    {"SHAPE-07", "", "export0.error or (read0, own0)",
     "isinstance(seen, BufferError) or not export0.error and read0 == own0"},
    {"SHAPE-08", "", kElements, kSameElements},
    {"SHAPE-09", "", "export0.error or (read0, own0, inspect0.strides)",
     "isinstance(seen, BufferError) or not export0.error and read0 == own0"},
    {"SHAPE-10", "", "(inspect0.shape, inspect0.strides)",
     "all(n != 1 or abs(s) * {item} < 1 << 63 for n, s in zip(*seen))"},
    {"SHAPE-11", "", "hex(inspect0.data)", "inspect0.data == 0"},
    {"SHAPE-12", "", "(hex(inspect0.shape_at), inspect0.shape)",
     "inspect0.shape_at and inspect0.shape is not None"},
    {"SHAPE-13", "", "hex(inspect0.data)", "inspect0.data != 0"},
    {"SHAPE-14", "",
     "[t.data % 256 for t in (inspect0, inspect1, inspect2, inspect3, inspect4, inspect5, "
     "inspect6, inspect7, inspect8, inspect9, inspect10, inspect11, inspect12, inspect13, "
     "inspect14, inspect15)]",
     "not any(seen)"},
    {"SHAPE-15", "", "hex(inspect0.first)",
     "inspect0.first % max(1, inspect0.bits // (16 if inspect0.code == 5 else 8)) == 0"},
    {"SHAPE-16", "", "(span(inspect0), (allocation0[0], sum(allocation0)))",
     "read0 and (seen[1][0] <= seen[0][0] and seen[0][1] <= seen[1][1] or "
     "seen[0][1] <= seen[1][0] or seen[1][1] <= seen[0][0])"},
    {"SHAPE-17", "", "(inspect0.shape, inspect0.strides, inspect1.shape, inspect1.strides)",
     "seen[:2] == seen[2:]"},
    {"SHAPE-18", "", "export0", "export0.error is not None"},
};

constexpr ReproCheck kCopy[] = {
    {"COPY-01", "", kAddresses, "inspect0.first == pointer0"},
    {"COPY-02", "", kAddresses, "inspect0.first == pointer0"},
    {"COPY-03", "", "export0.error or (hex(inspect0.first), hex(pointer0))",
     "not export0.error and inspect0.first != pointer0"},
    {"COPY-04", "", "(hex(inspect0.first), hex(pointer0), inspect0.flags)",
     "inspect0.first == pointer0 and not inspect0.flags & 2"},
    {"COPY-05", "", "export1", "isinstance(export1.error, BufferError)"},
    {"COPY-15", "", "export1", "isinstance(export1.error, BufferError)"},
    {"COPY-06", "", "(hex(inspect0.first), hex(pointer0), 'flags', inspect0.flags)",
     "inspect0.first == pointer0 or inspect0.flags & 2"},
    {"COPY-07", "", "(hex(inspect0.first), hex(pointer0), 'flags', inspect0.flags)",
     "inspect0.first != pointer0 or not inspect0.flags & 2"},
    {"COPY-08", "", "(hex(inspect0.first), hex(inspect1.first), hex(pointer0))",
     "len(set(seen)) == 3 and read1 == read2 and own0 == own1"},
    {"COPY-09", "", "export0.error or (hex(inspect0.first), hex(pointer0))",
     "export0.error or inspect0.first != pointer0"},
    {"COPY-10", "", "('flags', inspect0.flags)", "not seen[1] & 1"},
    {"COPY-11", "", kAddresses, "inspect0.first != pointer0"},
    {"COPY-12", "", "('flags', inspect0.flags)", "bool(seen[1] & 1) == {readonly}"},
    {"COPY-13", "", "export0.error or (export0, hex(inspect0.first), hex(pointer0))",
     "export0.error or inspect0.first != pointer0"},
    {"COPY-14", "", "export0.error or inspect0.device", "seen == (1, 0)"},
    {"COPY-16", "", "export0", "not export0.error or isinstance(export0.error, BufferError)"},
    {"COPY-18", "", "(own0, own1, hex(pointer0), hex(imported0))",
     "own0 == own1 and pointer0 == imported0"},
    {"COPY-17", "", "(inspect0.shape, inspect0.dtype, read0, own0)",
     "seen[:2] == ({shape}, {dtype}) and read0 == own0"},
};

constexpr ReproCheck kVer[] = {
    {"VER-01", "", "export0", "export0.name == b'dltensor'"},
    {"VER-02", "", "export0",
     "isinstance(export0.error, BufferError) or export0.name == b'dltensor'"},
    {"VER-03", "", "(export0, inspect0 and inspect0.version, inspect1 and inspect1.version)",
     "export0.versioned and seen[1] == seen[2]"},
    {"VER-04", "", "export0",
     "isinstance(export0.error, BufferError) or export0.name == b'dltensor'"},
    {"VER-05", "", "export0", "export0.name in (b'dltensor', b'dltensor_versioned')"},
    {"VER-06", "", "(inspect0.version, 'dtype', inspect0.dtype)", "seen[0] >= (1, {since})"},
    {"VER-07", "", "(export0, export{neighbour})", "export0.name == export{neighbour}.name"},
    {"VER-08", "", "(export0, export1)", "export0.name == export1.name"},
    {"VER-09", "", "(export0, inspect0.version)", "inspect0.version[0] <= {major}"},
    {"VER-10", "", "(inspect0, inspect1)",
     "fields(inspect0)[:4] == fields(inspect1)[:4] and inspect0.first == inspect1.first"},
    {"VER-11", "", "(export0, export1)", "(export0.error is None) == (export1.error is None)"},
};

constexpr ReproCheck kProto[] = {
    {"PROTO-01", "", "export0", "export0.error is None"},
    {"PROTO-02", "", "export0", "isinstance(export0.error, TypeError)"},
    {"PROTO-03", "", "export0", "not isinstance(export0.error, TypeError)"},
    {"PROTO-04", "", "export0",
     "export0.error is not None and not isinstance(export0.error, BufferError)"},
    {"PROTO-05", "own-device/cpu", "(export0, export1, export2)",
     "not export1.error and not export2.error and fields(inspect0) == fields(inspect1) == "
     "fields(inspect2)"},
    {"PROTO-05", "", "(export0, export1)",
     "not export1.error and fields(inspect0) == fields(inspect1)"},
    {"PROTO-06", "", "export0.error", kRefused},
    {"PROTO-07", "", "export0.error", kRefused},
    {"PROTO-08", "", "type(export0.capsule).__name__", "seen == 'PyCapsule'"},
    {"PROTO-09", "",
     "(fields(inspect0), fields(inspect1), calls0, calls1, 'calls', calls2, calls3)",
     "seen[0] == seen[1] and (calls0, calls1) == (1, 0) and calls3 <= 1"},
    {"PROTO-10", "", "(own0, own1, own2, own3, export1.error)",
     "own0 == own1 == own2 == own3 and export1.error is None"},
    {"PROTO-11", "", "(export0, export1)", "not (export0.error and export1.error)"},
    {"PROTO-12", "", "(device0, device1, export0, export1)",
     "device0 == device1 and export0.name == export1.name and fields(inspect0)[:3] == "
     "fields(inspect1)[:3]"},
    {"PROTO-13", "", "(probe0, export0, export1, export2)",
     "all(probe0[2:]) and all(e.managed or n < 2 and isinstance(e.error, BufferError) for n, e in "
     "enumerate(seen[1:]))"},
};

constexpr ReproCheck kDt[] = {
    {"DT-02", "inexpressible/", "export0", "export0.error is not None"},
    {"DT-06", "", "export0", "export0.error is not None"},
    {"DT-04", "", "(inspect0.dtype, read0, own0)", "seen[0] == {dtype} and read0 == own0"},
    {"DT-05", "", "(inspect0.dtype, read0)", "seen[0] == {dtype} and set(read0) <= {0, 1}"},
    {"DT-08", "", kDType, "seen[:2] == {dtype}[:2]"},
    {"DT-09", "", kDType, "seen[:2] == {dtype}[:2]"},
    {"DT-10", "", "read0", "seen == {packed}"},
    {"DT-11", "packed/", "(inspect0.flags, read0)",
     "bool(seen[0] & 4) == (read0[:len({packed})] != {packed})"},
    {"DT-11", "", "('flags', inspect0.flags)", "not seen[1] & 4"},
    {"DT-12", "", kDType, "seen[2] == {dtype}[2]"},
    {"DT-13", "", "inspect0 and inspect0.dtype", "not seen or seen[0] <= 17"},
    {"DT-14", "inexpressible/", "export0.error or (read0, own0)", "export0.error or read0 == own0"},
    {"DT-14", "", kElements, kSameElements},
    {"DT-15", "", "inspect0 and inspect0.dtype", "not seen or seen[0] != 3"},
    {"DT-16", "", kDType, "seen[1] * seen[2] == 8 * {item}"},
    {"DT-01", "", kDType, kIsDType},
    {"DT-02", "", kDType, kIsDType},
    {"DT-03", "", kDType, kIsDType},
    {"DT-07", "", kDType, kIsDType},
};

constexpr ReproCheck kErr[] = {
    {"ERR-01", "", "export0.error", kBufferError},
    {"ERR-02", "", "export0", "not isinstance(export0.error, BufferError)"},
    {"ERR-03", "", "export0", "isinstance(export0.error, BufferError)"},
    {"ERR-04", "", "export0.error",
     "any(w in str(seen).lower() for w in ('byte order', 'byteorder', 'byte-order', 'endian', "
     "'byte swapped', 'byte-swapped', 'byteswapped'))"},
    {"ERR-05", "", "(export0.error, device0)",
     "all(isinstance(e, BufferError) for e in seen if isinstance(e, Exception))"},
    {"ERR-06", "", "export0.error or (read0, own0)", "export0.error or read0 == own0"},
    {"ERR-07", "", "export0", "export0.error is not None"},
    {"ERR-08", "", "export0", "export0.error is not None"},
    {"ERR-09", "", "(export0, export2, refs1 - refs0, read0, read1)",
     "export2.name == export0.name and seen[2] == 0 and read0 == read1"},
    {"ERR-10", "negotiation/", "export0.error",
     "any(w in str(seen).lower() for w in ('device', 'kdl', 'backend', 'platform', 'gpu'))"},
    {"ERR-10", "max-version/", "export0.error", "'version' in str(seen).lower()"},
    {"ERR-10", "", "export0.error", "any(w in str(seen).lower() for w in {words})"},
    {"ERR-11", "place-query/", "device0", "str(seen) in {table_text}"},
    {"ERR-11", "", "export0.error", "str(seen) in {table_text}"},
    {"ERR-12", "place-query/", "device0", "not re.search({leak}, str(seen))"},
    {"ERR-12", "", "export0.error or device0", "not re.search({leak}, str(seen))"},
    {"ERR-13", "inexpressible/", "(export0, export1, read1, values0)",
     "not export1.error and read1 == values0"},
    {"ERR-13", "", "(export0, export1, own1, read0)",
     "own1 == {values} and not export1.error and read0 == {values}"},
};

constexpr ReproCheck kStream[] = {
    {"STREAM-01", "", "export0", "export0.error is not None"},
    {"STREAM-02", "", "export0", "export0.error is not None"},
    {"STREAM-06", "", "export0", "export0.error is not None"},
    {"STREAM-07", "stream/rocm/stream-1", "export0", "export0.error is not None"},
    {"STREAM-07", "stream/rocm/stream-2", "export0", "export0.error is not None"},
    {"STREAM-07", "", "export0", "export0.error is None"},
    {"STREAM-08", "", "export0", "not export0.error or 'stream' in str(export0.error).lower()"},
    {"STREAM-10", "", kElements, kSameElements},
    {"STREAM-12", "stream-absent", kElements, kSameElements},
    {"STREAM-12", "stream-none", kElements, kSameElements},
    {"STREAM-12", "stream-target/", "(export0, many0.capsules)",
     "export0.error is not None and many0.capsules == 0"},
    {"STREAM-12", "", "export0", "export0.error is not None"},
    {"STREAM-13", "", "export0", "export0.error is not None"},
    {"STREAM-14", "", "(a1.asked, derived1)", "seen[0] != 'stream=None'"},
};

constexpr ReproCheck kXapi[] = {
    {"XAPI-01", "", "kinds0", "any(seen)"},
    {"XAPI-02", "", "kinds0", "seen[0] is not None"},
    {"XAPI-03", "", "kinds0[0]", "'\"dlpack_exchange_api\"' in repr(seen)"},
    {"XAPI-04", "", "(table0, table1, table2)", "table0 == table1 == table2"},
    {"XAPI-05", "", "table0.version", "seen[0] == 1 and 2 <= seen[1] <= {minor}"},
    {"XAPI-06", "", "(hex(table0.at), hex(table0.previous))", "table0.previous != table0.at"},
    {"XAPI-07", "", "[hex(f) for f in table0.functions]",
     "all(is_code(f) for n, f in enumerate(table0.functions) if n != 3)"},
    {"XAPI-08", "", "hex(table0.borrow)", "table0.borrow != 0"},
    {"XAPI-09", "", "(allocate0, vars(inspect0))",
     "(inspect0.dtype, inspect0.shape, inspect0.device) == ({made_dtype}, {made_shape}, (1, 0)) "
     "and "
     "inspect0.byte_offset == 0"},
    {"XAPI-10", "", "(allocate0, allocate0.errors)", "len(seen[1]) == bool(allocate0.failed)"},
    {"XAPI-12", "paths/refusal", "(export1, owned0)",
     "not owned0.failed or owned0.error and (not isinstance(export1.error, BufferError) or "
     "isinstance(owned0.error, BufferError))"},
    {"XAPI-13", "", "'every call returned'", "True"},
    {"XAPI-14", "borrow-many", "(borrow0, 'bytes')", "seen[0] < {many} * 8"},
    {"XAPI-14", "", "(borrow0.tensor.byte_offset, inspect2.byte_offset)", "seen[0] == seen[1]"},
    {"XAPI-15", "", kTableCalls, "all(bool(c.error) == (c.code != 0) for c in seen)"},
    {"XAPI-16", "", "(stream0, stream0.out)", "not stream0.failed and not stream0.out"},
    {"XAPI-18", "", "(import0, importcalls0)", "not import0.failed and seen[1] == 1"},
    {"XAPI-19", "", "(import0, importcalls0)", "seen[1] <= 1"},
    {"XAPI-20", "paths/refusal", "(export1, owned0, borrow0)",
     "bool(export1.error) == owned0.failed == borrow0.failed"},
    {"XAPI-20", "", "(export1, owned0, fields(inspect1), fields(inspect2))",
     "bool(export1.error) == owned0.failed and seen[2] == seen[3]"},
    {"XAPI-23", "table/allocate", "(inspect0.version, inspect0.strides_at)",
     "seen[0] >= (1, 2) and (seen[1] or not inspect0.ndim)"},
    {"XAPI-23", "", "(inspect2.version, inspect2.strides_at)",
     "seen[0] >= (1, 2) and (seen[1] or not inspect2.ndim)"},
};

}  // namespace

const ReproCheck* FindRow(std::span<const ReproCheck> rows, std::string_view requirement,
                          std::string_view script) {
  for (const ReproCheck& row : rows) {
    if (row.requirement == requirement && script.find(row.script) != std::string_view::npos) {
      return &row;
    }
  }
  return nullptr;
}

const ReproCheck* FindReproCheck(std::string_view requirement, std::string_view script) {
  const auto find = [&](const auto&... rows) {
    const ReproCheck* found = nullptr;
    ((found = found != nullptr ? found : FindRow(rows, requirement, script)), ...);
    return found;
  };
  return find(kDev, kCap, kMem, kAbi, kShape, kCopy, kVer, kProto, kDt, kErr, kStream, kXapi);
}

}  // namespace dlpc
