#include <array>
#include <map>
#include <string>

#include "fuzz/properties.h"
#include "harness/input_reader.h"
#include "reference/negotiation.h"
#include "reference/producer.h"
#include "reference/testing/objection.h"

namespace dlpc {
namespace {

Arg TakeArg(InputReader& reader) {
  // Values twice as often as each of the others.
  constexpr Arg kArgs[] = {Arg::kValue, Arg::kAbsent, Arg::kValue, Arg::kNone, Arg::kOdd};
  return kArgs[reader.Take<uint8_t>() % std::size(kArgs)];
}

// Mostly a small number, at times any.
template <typename T>
T TakeNumber(InputReader& reader, int low, int high) {
  const auto tag = reader.Take<uint8_t>();
  if (tag >= 248) return reader.Take<T>();
  const int number = low + tag % (high - low + 1);
  return static_cast<T>(number);
}

Request TakeRequest(InputReader& reader) {
  Request r;
  r.version = TakeArg(reader);
  if (r.version == Arg::kValue) {
    r.max_version.major = TakeNumber<uint32_t>(reader, 0, 3);
    r.max_version.minor = TakeNumber<uint32_t>(reader, 0, 12);
  }
  r.copy = TakeArg(reader);
  r.copy_value = r.copy == Arg::kValue && (reader.Take<uint8_t>() & 1) != 0;
  r.device = TakeArg(reader);
  if (r.device == Arg::kNone && (reader.Take<uint8_t>() & 1) != 0) r.device = Arg::kOwn;
  if (r.device == Arg::kValue) {
    r.dl_device.device_type = static_cast<DLDeviceType>(TakeNumber<int32_t>(reader, -1, 22));
    r.dl_device.device_id = TakeNumber<int32_t>(reader, -1, 3);
  }
  r.stream = TakeArg(reader);
  if (r.stream == Arg::kValue) r.stream_value = TakeNumber<int64_t>(reader, -3, 4);
  r.odd = static_cast<Odd>(reader.Take<uint8_t>() % static_cast<uint8_t>(Odd::kCount_));
  const auto extra = reader.Take<uint8_t>();
  if (extra >= 240) r.extra = extra % 2 == 0 ? Extra::kUnknownKeyword : Extra::kPositional;
  return r;
}

// One producer for all inputs: exports leave nothing behind in it, which the arrays' reference
// counts would show in the end (see the target `script`).
struct Arrays {
  explicit Arrays(Mutant mutant) : producer(mutant) {
    for (int memory = 0; memory < static_cast<int>(Memory::kTpu); ++memory) {
      for (const uint8_t flags : {uint8_t{0}, uint8_t{kReadOnly}}) {
        ArraySpec spec;
        spec.layout = Contiguous({4});
        spec.memory = static_cast<Memory>(memory);
        spec.flags = flags;
        all[static_cast<size_t>(memory * 2) + (flags != 0 ? 1 : 0)] = producer.Make(spec);
      }
    }
  }
  RefProducer producer;
  std::array<RefArrayPtr, static_cast<size_t>(Memory::kTpu) * 2> all;
};

// The oracle alone, for any device: it allows something, says why, and recommends what it allows.
Broken OracleIsTotal(const ExportFacts& facts, const Request& request) {
  const Negotiated n = Negotiate(facts, request);
  const Negotiated again = Negotiate(facts, request);
  if (n.allowed == 0) return "nothing is allowed";
  if (n.rule.empty()) return "no rule decides";
  if (NegotiatedText(n).empty()) return "an outcome without a text";
  if (n.allowed != again.allowed || n.recommended != again.recommended || n.rule != again.rule) {
    return "the oracle answers differently the second time";
  }
  if ((n.recommended & ~n.allowed & (kLegacyCapsule | kVersionedCapsule)) != 0) {
    return "a capsule is recommended and not allowed";
  }
  return std::nullopt;
}

Broken Negotiation(Arrays& arrays, std::span<const uint8_t> bytes) {
  InputReader reader(bytes);
  const RefArrayPtr& array = arrays.all[reader.Take<uint8_t>() % arrays.all.size()];
  ExportFacts facts;
  facts.device.device_type = static_cast<DLDeviceType>(TakeNumber<int32_t>(reader, -1, 22));
  facts.device.device_id = TakeNumber<int32_t>(reader, -1, 3);
  const auto knobs = reader.Take<uint8_t>();
  facts.read_only = (knobs & 1) != 0;
  facts.has_streams = (knobs & 2) != 0;
  const Request request = TakeRequest(reader);
  if (auto broken = OracleIsTotal(facts, request)) return broken;
  return NegotiationObjection(arrays.producer, array, request);
}

}  // namespace

Broken PropertyNegotiate(std::span<const uint8_t> bytes) {
  return PropertyNegotiateOf(Mutant::kNone, bytes);
}

Broken PropertyNegotiateOf(Mutant mutant, std::span<const uint8_t> bytes) {
  static std::map<Mutant, Arrays> arrays;
  return Negotiation(arrays.try_emplace(mutant, mutant).first->second, bytes);
}

}  // namespace dlpc
