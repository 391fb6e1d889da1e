#include "reference/request.h"

#include <fmt/format.h>

namespace dlpc {
namespace {

void Append(std::string& text, std::string_view keyword, std::string_view value) {
  if (!text.empty()) text += ", ";
  if (!keyword.empty()) text.append(keyword).append("=");
  text += value;
}

// `value` gives the text for Arg::kValue.
template <typename Value>
void AppendArg(std::string& text, std::string_view keyword, Arg arg, Odd odd, Value value) {
  switch (arg) {
    case Arg::kNone:
      return Append(text, keyword, "None");
    case Arg::kValue:
      return Append(text, keyword, value());
    case Arg::kOwn:  // Means something for dl_device only; elsewhere it is as good as absent.
      if (keyword == "dl_device") Append(text, keyword, "x.__dlpack_device__()");
      return;
    case Arg::kOdd:
      return Append(text, keyword, OddText(odd));
    case Arg::kAbsent:
    case Arg::kCount_:
      return;
  }
}

}  // namespace

std::string_view OddText(Odd odd) {
  switch (odd) {
    case Odd::kInt1:
      return "1";
    case Odd::kString:
      return "'x'";
    case Odd::kList:
      return "[1, 0]";
    case Odd::kTuple1:
      return "(1,)";
    case Odd::kTuple3:
      return "(1, 0, 0)";
    case Odd::kStrings:
      return "('1', '0')";
    case Odd::kNoneInPair:
      return "(None, 0)";
    case Odd::kObject:
      return "object()";
    case Odd::kInt2:
      return "2";
    case Odd::kCount_:
      break;
  }
  return "object()";
}

std::string RequestText(const Request& r) {
  std::string text;
  if (r.extra == Extra::kPositional) Append(text, "", "None");
  AppendArg(text, "stream", r.stream, r.odd, [&r] {
    const bool handle = r.stream_value == kConsumersStream;
    return handle ? "consumers_stream" : fmt::format("{}", r.stream_value);
  });
  AppendArg(text, "max_version", r.version, r.odd,
            [&r] { return fmt::format("({}, {})", r.max_version.major, r.max_version.minor); });
  AppendArg(text, "dl_device", r.device, r.odd, [&r] {
    return fmt::format("({}, {})", int32_t{r.dl_device.device_type}, r.dl_device.device_id);
  });
  AppendArg(text, "copy", r.copy, r.odd, [&r] { return r.copy_value ? "True" : "False"; });
  if (r.extra == Extra::kUnknownKeyword) Append(text, "unknown", "None");
  return text;
}

Request WithVersion(uint32_t major, uint32_t minor) {
  Request request;
  request.version = Arg::kValue;
  request.max_version = {major, minor};
  return request;
}

}  // namespace dlpc
