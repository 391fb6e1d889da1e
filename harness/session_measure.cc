// The part of Session that has a benchmark's loop performed.
#include <fmt/format.h>

#include "harness/session.h"

namespace dlpc {
Expected<Timing> Session::Measure(const Measurement& measurement, double limit_s) {
  AppendFrame(Frame::kMeasure, EncodeMeasurement(measurement), out_);
  Send();
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limit_s));
  std::string what = fmt::format("no answer within {:g} s", limit_s);
  while (Clock::now() < end) {
    const bool exited = host_->Exited();
    const auto got = Pump();
    const auto reply = reader_.Next();
    if (!reply) {
      what = "host sent " + reply.error().message;
      break;
    }
    if (reply->has_value()) {
      auto timing = DecodeTiming((*reply)->payload);
      if ((*reply)->kind == Frame::kTiming && timing) return timing;
      what = "host sent something else than a timing";
      break;
    }
    if (got == FrameReader::FillResult::kEnd ||
        (exited && got == FrameReader::FillResult::kNothing)) {
      what = host_->HowItEnded(kExitGraceS).value_or("host closed its reply pipe");
      break;
    }
  }
  dead_ = true;
  host_->Kill();
  return NotReady(what);
}

}  // namespace dlpc
