#include "reference/negotiation.h"

#include <string_view>
#include <vector>

#include "reference/contract.h"

namespace dlpc {
namespace {

constexpr uint32_t kCapsules = kLegacyCapsule | kVersionedCapsule;

// Gathers what the rules say of the arguments one by one. An obstacle rules a capsule out; a caveat
// lets the producer refuse instead. With several, any of their exceptions may come first.
class Decision {
 public:
  void Obstacle(uint32_t errors, uint32_t recommended, std::string_view rule) {
    blocked_ = true;
    errors_ |= errors;
    if (recommended == 0) indifferent_ = true;
    preferred_errors_ |= recommended;
    Rule(rule);
  }
  void Caveat(uint32_t errors, bool recommended, std::string_view rule) {
    errors_ |= errors;
    if (recommended) welcome_errors_ |= errors;
    Rule(rule);
  }
  // The SHOULD rules want exactly this, whatever else is allowed.
  void Prefer(uint32_t outcome, std::string_view rule) {
    preferred_ = outcome;
    Rule(rule);
  }
  void Rule(std::string_view rule) {
    if (result_.rule.find(rule) != std::string::npos) return;
    if (!result_.rule.empty()) result_.rule += ", ";
    result_.rule += rule;
  }
  Negotiated Finish(uint32_t capsules) {
    if (blocked_) {
      result_.allowed = errors_;
      result_.recommended = indifferent_ ? 0 : preferred_errors_ | welcome_errors_;
      result_.copy = CopyRule::kMayCopy;
      result_.device_known = false;
    } else {
      result_.allowed = capsules | errors_;
      result_.recommended = preferred_ == 0 ? 0 : preferred_ | welcome_errors_;
    }
    return std::move(result_);
  }
  Negotiated& result() { return result_; }

 private:
  Negotiated result_;
  bool blocked_ = false;
  bool indifferent_ = false;
  uint32_t errors_ = 0;
  uint32_t preferred_errors_ = 0;
  uint32_t welcome_errors_ = 0;
  uint32_t preferred_ = 0;
};

void JudgeSignature(const Request& r, Decision& d) {
  if (r.extra == Extra::kPositional) d.Obstacle(kTypeError, kTypeError, "PROTO-02");
  if (r.extra == Extra::kUnknownKeyword) d.Obstacle(kTypeError, kTypeError, "PROTO-03");
  constexpr uint32_t kArgumentError = kTypeError | kValueError;  // ERR-02: not BufferError.
  if (r.version == Arg::kOdd) d.Obstacle(kArgumentError, kArgumentError, "PROTO-04");
  if (r.device == Arg::kOdd) d.Obstacle(kArgumentError, kArgumentError, "PROTO-06");
  if (r.copy == Arg::kOdd) d.Obstacle(kArgumentError, kArgumentError, "PROTO-07");
}

struct TargetDevice {
  DLDevice device;
  bool own;
};

TargetDevice ChooseTarget(const ExportFacts& facts, const Request& r) {
  if (r.device != Arg::kValue || SameDevice(r.dl_device, facts.device)) return {facts.device, true};
  return {r.dl_device, false};
}

void JudgeDevice(const TargetDevice& target, Decision& d) {
  d.result().device_known = true;
  d.result().device = target.device;
  if (target.own) return d.Rule("DEV-10");
  if (IsCpu(target.device)) {  // The offer is mandated "at least when copying is allowed".
    return d.Caveat(kBufferError, false, "COPY-14");
  }
  const int32_t type = target.device.device_type;
  const bool exists = IsKnownDeviceType(type) || IsPost13DeviceType(type);
  if (!exists || type == kDLCPU || target.device.device_id < 0) {
    return d.Obstacle(kBufferError, kBufferError, "ERR-03");
  }
  d.Caveat(kBufferError, true,
           "COPY-16");  // Refusing is as good as serving; ERR-03 names the class.
}

// The stream as an int; false if it is something else. Pre: the argument is not None.
bool StreamNumber(const Request& r, int64_t& number) {
  if (r.stream == Arg::kValue) {
    number = r.stream_value;
    return true;
  }
  number = r.odd == Odd::kInt1 ? 1 : 2;
  return r.odd == Odd::kInt1 || r.odd == Odd::kInt2;
}

void JudgeStream(const ExportFacts& facts, const TargetDevice& target, const Request& r,
                 Decision& d) {
  if (r.stream != Arg::kValue && r.stream != Arg::kOdd) return;
  const bool cuda = target.device.device_type == kDLCUDA;
  const bool rocm = target.device.device_type == kDLROCM;
  const bool has_streams = target.own ? facts.has_streams : cuda || rocm;
  const std::string_view rule = target.own ? "STREAM-01" : "STREAM-12";
  int64_t number = 0;
  const bool is_int = StreamNumber(r, number);
  if (!has_streams) {
    // -1 asks for no synchronisation, which some producers grant on any device (C-13).
    if (is_int && number == -1) return d.Caveat(kAnyError, true, rule);
    return d.Obstacle(kAnyError, 0, rule);
  }
  if (!cuda && !rocm) return d.Caveat(kAnyError, true, "STREAM-13");  // Queues by agreement.
  if (!is_int || number < -1) return d.Obstacle(kAnyError, 0, "STREAM-02");
  if (cuda && number == 0) return d.Obstacle(kAnyError, 0, "STREAM-06");
  if (rocm && (number == 1 || number == 2)) return d.Obstacle(kAnyError, 0, "STREAM-07");
  d.Caveat(kAnyError, true, "STREAM-08");  // Supporting anything but None is optional.
}

// Returns the capsules that the version allows.
uint32_t JudgeVersion(const Request& r, Decision& d) {
  if (r.version != Arg::kValue) {
    d.Caveat(kBufferError, false, "VER-02");
    d.Prefer(kLegacyCapsule, "VER-01");
    return kLegacyCapsule;
  }
  if (r.max_version.major < 1) {  // VER-09: no major above the consumer's.
    d.Caveat(kBufferError, false, "VER-09");
    d.Prefer(kLegacyCapsule, "VER-04");
    return kLegacyCapsule;
  }
  // The struct may differ from max_version; the own highest is recommended.
  d.Prefer(kVersionedCapsule, r.max_version.major == 1 ? "VER-03" : "VER-05");
  return kCapsules;
}

void JudgeCopy(const TargetDevice& target, const Request& r, uint32_t capsules, Decision& d) {
  CopyRule& copy = d.result().copy;
  if (r.copy == Arg::kValue && r.copy_value) {
    copy = CopyRule::kMustCopy;
    d.Rule("COPY-03");
    // The legacy struct cannot flag a copy: copy all the same, or raise (C-10).
    if (capsules == kLegacyCapsule) d.Caveat(kAnyError, true, "COPY-09");
  } else if (r.copy == Arg::kValue) {
    copy = CopyRule::kMustShare;
    d.Rule("COPY-04");
    if (!target.own) {
      const bool cpu = IsCpu(target.device);
      d.Caveat(kBufferError, true, cpu ? "COPY-15" : "COPY-05");
    }
  } else if (target.own) {
    copy = CopyRule::kMustShare;
    d.Rule(r.copy == Arg::kNone ? "COPY-02" : "COPY-01");
  } else {
    copy = CopyRule::kMayCopy;
    d.Rule("COPY-02");
  }
}

// The legacy struct has no READ_ONLY flag; no source forbids it in so many words (C-12).
void JudgeReadOnly(const ExportFacts& facts, uint32_t capsules, Decision& d) {
  if (!facts.read_only || (capsules & kLegacyCapsule) == 0) return;
  if (d.result().copy != CopyRule::kMustShare || capsules != kLegacyCapsule) return;
  d.Caveat(kAnyError, false, "COPY-13");
  d.Prefer(kBufferError, "COPY-13");
}

std::string_view CapsuleText(uint32_t allowed) {
  if ((allowed & kCapsules) == kCapsules) return "a capsule";
  if (allowed & kVersionedCapsule) return "a versioned capsule";
  return allowed & kLegacyCapsule ? "a legacy capsule" : "";
}

}  // namespace

Negotiated Negotiate(const ExportFacts& facts, const Request& request) {
  Decision decision;
  JudgeSignature(request, decision);
  if (request.extra != Extra::kNone) return decision.Finish(0);  // Before any value is looked at.
  const TargetDevice target = ChooseTarget(facts, request);
  JudgeDevice(target, decision);
  JudgeStream(facts, target, request, decision);
  const uint32_t capsules = JudgeVersion(request, decision);
  JudgeCopy(target, request, capsules, decision);
  JudgeReadOnly(facts, capsules, decision);
  return decision.Finish(capsules);
}

std::string NegotiatedText(const Negotiated& negotiated) {
  const uint32_t allowed = negotiated.allowed;
  std::vector<std::string> parts;
  if (allowed & kCapsules) {
    std::string text(CapsuleText(allowed));
    if (negotiated.copy == CopyRule::kMustShare) text += " that shares memory";
    if (negotiated.copy == CopyRule::kMustCopy) text += " that holds a copy";
    parts.push_back(std::move(text));
  }
  if (allowed & kAnyError) {
    parts.emplace_back("an exception");
  } else {
    if (allowed & kBufferError) parts.emplace_back("BufferError");
    if (allowed & kTypeError) parts.emplace_back("TypeError");
    if (allowed & kValueError) parts.emplace_back("ValueError");
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? ", or " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace dlpc
