#include "harness/emulation/program.h"

#include <algorithm>
#include <cctype>

namespace dlpc::emulation {
namespace {

bool IsNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Every run of name characters before a NUL. Bytes that are no names may be among them.
std::vector<std::string_view> Names(std::string_view code) {
  std::vector<std::string_view> names;
  for (size_t end = code.find('\0'); end != std::string_view::npos;
       end = code.find('\0', end + 1)) {
    size_t begin = end;
    while (begin > 0 && IsNamePart(code[begin - 1])) --begin;
    if (begin != end) names.push_back(code.substr(begin, end - begin));
  }
  return names;
}

/// "add_v1": how portable StableHLO names an operation.
bool IsOperation(std::string_view name) {
  const size_t at = name.rfind("_v");
  return at != std::string_view::npos && at != 0 && at + 2 < name.size() &&
         std::ranges::all_of(name.substr(at + 2),
                             [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Dialects whose operations do not say that they are such by their names. JAX's copy has none of
/// them.
constexpr std::string_view kForeignDialects[] = {"arith", "chlo",      "func",   "linalg",
                                                 "mhlo",  "stablehlo", "tensor", "tpu"};

/// What a program of one argument may have and still only hand it on.
bool IsHarmless(std::string_view operation) {
  return operation.starts_with("func_v") || operation.starts_with("return_v");
}

/// A message of protocol buffers, field by field.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  /// False at the end, and from the first ill-formed byte on.
  bool Next() {
    if (rest_.empty()) return false;
    const uint64_t tag = Varint();
    number_ = tag >> 3;
    switch (tag & 7) {
      case 0:
        value_ = Varint();
        bytes_ = {};
        return ok_;
      case 1:
        return Take(8);
      case 2:
        return Take(Varint());
      case 5:
        return Take(4);
      default:
        return false;
    }
  }

  uint64_t number() const { return number_; }
  uint64_t value() const { return value_; }
  std::string_view bytes() const { return bytes_; }

  /// Reads a number off the front, as packed repeated fields have them.
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  bool empty() const { return rest_.empty() || !ok_; }

 private:
  bool Take(uint64_t size) {
    if (!ok_ || size > rest_.size()) return false;
    bytes_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  uint64_t number_ = 0;
  uint64_t value_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
};

std::string_view Submessage(std::string_view message, uint64_t number) {
  Fields fields(message);
  while (fields.Next()) {
    if (fields.number() == number) return fields.bytes();
  }
  return {};
}

}  // namespace

std::optional<std::string> WhyNotCopy(std::string_view code) {
  bool named = false;
  std::string found;
  for (const std::string_view name : Names(code)) {
    named = named || name == "jit_copy";
    const bool foreign = std::ranges::find(kForeignDialects, name) != std::end(kForeignDialects);
    if (foreign || (IsOperation(name) && !IsHarmless(name))) {
      found += ' ';
      found += name;
    }
  }
  if (code.find("result[") != std::string_view::npos) found += " several results";
  if (named && found.empty()) return std::nullopt;
  return "the emulation runs no programs but the copy of one array (jit_copy)" +
         (found.empty() ? "" : "; this one has" + found);
}

std::string NamedMemoryKind(std::string_view code, std::span<const std::string> kinds) {
  for (const std::string_view name : Names(code)) {
    for (const std::string& kind : kinds) {
      if (name == kind) return kind;
    }
  }
  return {};
}

std::vector<int64_t> AssignedDevices(std::string_view compile_options) {
  // CompileOptionsProto.executable_build_options, .device_assignment.
  Fields assignment(Submessage(Submessage(compile_options, 3), 9));
  std::vector<int64_t> ids;
  while (assignment.Next()) {
    if (assignment.number() != 3) continue;  // computation_devices: one for each partition.
    Fields computation(assignment.bytes());
    while (computation.Next()) {
      if (computation.number() != 1) continue;  // replica_device_ids, packed or one by one.
      if (computation.bytes().empty()) {
        ids.push_back(static_cast<int64_t>(computation.value()));
        continue;
      }
      Fields packed(computation.bytes());
      while (!packed.empty()) ids.push_back(static_cast<int64_t>(packed.Varint()));
    }
  }
  return ids;
}

}  // namespace dlpc::emulation
