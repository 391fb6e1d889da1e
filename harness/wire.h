// Frames between runner and host. Both sides treat the other's bytes as hostile: a vendor's library
// can write anything anywhere, and a frame must never make the reader allocate or wait on its word.
#ifndef DLPC_HARNESS_WIRE_H_
#define DLPC_HARNESS_WIRE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "reference/expected.h"

namespace dlpc {

inline constexpr uint32_t kWireVersion = 3;
inline constexpr size_t kMaxFrame = size_t{64} << 20;

enum class Frame : uint32_t {
  // Requests.
  kHello = 1,  // u32 kWireVersion.
  kBatch,      // u32 number of the first script, u32 count, then u32 length + EncodeScript each.
  kQuit,       // Empty.
  kMeasure,    // EncodeMeasurement.
  // Replies.
  kClaims,    // The strings of Claims, u32 length + bytes each.
  kFailure,   // Why there is no backend: text.
  kTrace,     // u32 number of the script, then EncodeTrace.
  kFault,     // u32 number of the script, then text: the host could not finish it, our fault.
  kBatchEnd,  // u32 number of the last script.
  kTiming,    // EncodeTiming.
};

/// A whole frame inside a FrameReader's buffer; dies with the next Fill.
struct FrameView {
  Frame kind;
  std::span<const uint8_t> payload;
};

void AppendU32(uint32_t value, std::string& out);

/// Appends a frame's header for a payload still to be appended; EndFrame patches its length in.
size_t BeginFrame(Frame kind, std::string& out);
void EndFrame(size_t frame, std::string& out);
void AppendFrame(Frame kind, std::string_view payload, std::string& out);

/// Reads numbers and strings off the front of a payload. After the first read past the end
/// everything is zero or empty and ok() is false.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t U32();
  std::span<const uint8_t> Bytes(size_t size);
  std::span<const uint8_t> Sized();  // u32 length, then so many bytes.
  std::span<const uint8_t> Rest() const { return bytes_; }
  bool ok() const { return ok_; }

 private:
  std::span<const uint8_t> bytes_;
  bool ok_ = true;
};

/// Collects bytes and hands out whole frames.
class FrameReader {
 public:
  enum class FillResult : uint8_t { kData, kNothing, kEnd };
  /// One read() of up to 256 KiB. kNothing: would block. kEnd: closed, or an error.
  FillResult Fill(int fd);

  /// The next whole frame, nullopt when more bytes are needed, an Error when the bytes are no
  /// frame.
  Expected<std::optional<FrameView>> Next();

  /// Bytes of an unfinished frame are waiting.
  bool Partial() const { return begin_ < end_; }

 private:
  std::vector<uint8_t> buffer_;  // Grows with the bytes that came, not with what a header promises.
  size_t begin_ = 0;
  size_t end_ = 0;
};

void AppendClaims(const Claims& claims, std::string& out);
Expected<Claims> ParseClaims(std::span<const uint8_t> payload);

/// Valid UTF-8 for reports: ill-formed bytes become U+FFFD, control characters other than newline
/// and tab '?', carriage returns go.
std::string CleanText(std::string_view bytes);

}  // namespace dlpc

#endif  // DLPC_HARNESS_WIRE_H_
