#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "fuzz/properties.h"
#include "harness/script.h"
#include "harness/trace.h"
#include "harness/wire.h"

namespace dlpc {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Broken Claimed(std::span<const uint8_t> bytes) {
  const Expected<Claims> claims = ParseClaims(bytes);
  if (!claims) return claims.error().message.empty() ? Broken("an error without a text") : Broken();
  std::string frame, again;
  AppendClaims(*claims, frame);
  const auto parsed = ParseClaims(Bytes(frame).subspan(12));  // Behind the frame's header.
  if (!parsed) return "claims do not come back";
  AppendClaims(*parsed, again);
  return again == frame ? Broken() : Broken("claims change on the wire");
}

Broken Traced(std::span<const uint8_t> bytes) {
  const Expected<Trace> trace = DecodeTrace(bytes);
  if (!trace) return trace.error().message.empty() ? Broken("an error without a text") : Broken();
  for (const Observation& step : trace->steps) {
    if (ObservationText(step).empty()) return "an observation without a text";
    if (const auto* inspected = std::get_if<Inspected>(&step)) {
      (void)TensorOf(*inspected);
      (void)DeleterOf(*inspected);
    }
  }
  std::string wire, again;
  EncodeTrace(*trace, wire);
  const Expected<Trace> decoded = DecodeTrace(Bytes(wire));
  if (!decoded) return "a trace does not come back: " + decoded.error().message;
  EncodeTrace(*decoded, again);
  return again == wire ? Broken() : Broken("a trace changes on the wire");
}

Broken Scripted(std::span<const uint8_t> bytes) {
  const std::string wire = EncodeScript(DecodeScript(bytes));
  return EncodeScript(DecodeScript(Bytes(wire))) == wire ? Broken()
                                                         : Broken("a script changes on the wire");
}

Broken Cleaned(std::span<const uint8_t> bytes) {
  const std::string clean = CleanText({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (CleanText(clean) != clean) return "clean text is cleaned again";
  const bool control = std::any_of(clean.begin(), clean.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  });
  return control ? Broken("a control character in clean text") : Broken();
}

// The bytes as a host's answers, read from a file that ends where they end. What was framed comes
// out whole, in order, and is as long as what went in.
Broken Framed(std::span<const uint8_t> bytes) {
  static const int file = memfd_create("frames", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0) return std::nullopt;
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
      lseek(file, 0, SEEK_SET) != 0) {
    return std::nullopt;
  }
  FrameReader reader;
  std::string again;
  while (reader.Fill(file) == FrameReader::FillResult::kData) {
    for (;;) {
      const auto frame = reader.Next();
      if (!frame)
        return frame.error().message.empty() ? Broken("an error without a text") : Broken();
      if (!*frame) break;
      const auto payload = (*frame)->payload;
      AppendFrame((*frame)->kind, {reinterpret_cast<const char*>(payload.data()), payload.size()},
                  again);
    }
  }
  if (again.size() > bytes.size() ||
      !std::equal(again.begin(), again.end(), bytes.begin(),
                  [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; })) {
    return "frames are not what was written";
  }
  return reader.Partial() == (again.size() < bytes.size())
             ? Broken()
             : Broken("an unfinished frame is not noticed");
}

}  // namespace

// The first byte says which reader gets the rest.
Broken PropertyWire(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return std::nullopt;
  constexpr Broken (*kReaders[])(std::span<const uint8_t>) = {Traced, Framed, Claimed, Scripted,
                                                              Cleaned};
  return kReaders[bytes[0] % std::size(kReaders)](bytes.subspan(1));
}

}  // namespace dlpc
