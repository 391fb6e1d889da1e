#include "harness/wire.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dlpc {
namespace {

constexpr uint32_t kMagic = 0x43504c44;  // "DLPC"
constexpr size_t kHeader = 12;           // Magic, kind, length of the payload.
constexpr size_t kReadSize = size_t{256} << 10;

void PutU32(uint32_t value, char* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(value >> (8 * i));
}

uint32_t GetU32(const uint8_t* in) {
  return uint32_t{in[0]} | uint32_t{in[1]} << 8 | uint32_t{in[2]} << 16 | uint32_t{in[3]} << 24;
}

/// Length of the well-formed UTF-8 sequence at the front of `s`, 0 if it is ill-formed (Unicode 15,
/// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t Utf8Length(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || s.size() < length) return 0;
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

void AppendU32(uint32_t value, std::string& out) {
  char bytes[4];
  PutU32(value, bytes);
  out.append(bytes, sizeof bytes);
}

size_t BeginFrame(Frame kind, std::string& out) {
  const size_t frame = out.size();
  AppendU32(kMagic, out);
  AppendU32(static_cast<uint32_t>(kind), out);
  AppendU32(0, out);
  return frame;
}

void EndFrame(size_t frame, std::string& out) {
  PutU32(static_cast<uint32_t>(out.size() - frame - kHeader), out.data() + frame + 8);
}

void AppendFrame(Frame kind, std::string_view payload, std::string& out) {
  const size_t frame = BeginFrame(kind, out);
  out.append(payload);
  EndFrame(frame, out);
}

uint32_t PayloadReader::U32() {
  const auto bytes = Bytes(4);
  return bytes.empty() ? 0 : GetU32(bytes.data());
}

std::span<const uint8_t> PayloadReader::Bytes(size_t size) {
  if (size > bytes_.size()) {
    ok_ = false;
    bytes_ = {};
    return {};
  }
  const auto front = bytes_.first(size);
  bytes_ = bytes_.subspan(size);
  return front;
}

std::span<const uint8_t> PayloadReader::Sized() { return Bytes(U32()); }

FrameReader::FillResult FrameReader::Fill(int fd) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.size() - end_ < kReadSize && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kReadSize) buffer_.resize(2 * buffer_.size() + kReadSize);
  for (;;) {
    const ssize_t count = read(fd, buffer_.data() + end_, kReadSize);
    if (count > 0) {
      end_ += static_cast<size_t>(count);
      return FillResult::kData;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN ? FillResult::kNothing : FillResult::kEnd;
  }
}

Expected<std::optional<FrameView>> FrameReader::Next() {
  const size_t available = end_ - begin_;
  const uint8_t* const header = buffer_.data() + begin_;
  // Garbage is told from a slow frame as early as possible: by as many bytes of the magic as came.
  uint8_t magic[4];
  PutU32(kMagic, reinterpret_cast<char*>(magic));
  if (available > 0 && std::memcmp(header, magic, std::min<size_t>(available, 4)) != 0) {
    return Error{"bytes that are no frame"};
  }
  if (available < kHeader) return std::optional<FrameView>();
  const uint32_t kind = GetU32(header + 4);
  const uint32_t length = GetU32(header + 8);
  if (kind < 1 || kind > static_cast<uint32_t>(Frame::kTiming)) {
    return Error{fmt::format("a frame of unknown kind {}", kind)};
  }
  if (length > kMaxFrame) {
    return Error{fmt::format("a frame of {} bytes, more than the limit of {}", length, kMaxFrame)};
  }
  if (available - kHeader < length) return std::optional<FrameView>();
  begin_ += kHeader + length;
  return std::optional<FrameView>({static_cast<Frame>(kind), {header + kHeader, length}});
}

void AppendClaims(const Claims& claims, std::string& out) {
  const size_t frame = BeginFrame(Frame::kClaims, out);
  for (const std::string* text : {&claims.producer, &claims.version, &claims.kind,
                                  &claims.interpreter, &claims.adapter, &claims.json}) {
    AppendU32(static_cast<uint32_t>(text->size()), out);
    out.append(*text);
  }
  EndFrame(frame, out);
}

Expected<Claims> ParseClaims(std::span<const uint8_t> payload) {
  PayloadReader reader(payload);
  Claims claims;
  for (std::string* text : {&claims.producer, &claims.version, &claims.kind, &claims.interpreter,
                            &claims.adapter, &claims.json}) {
    const auto bytes = reader.Sized();
    text->assign(bytes.begin(), bytes.end());
  }
  if (!reader.ok()) return Error{"claims that end too early"};
  return claims;
}

std::string CleanText(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = Utf8Length(bytes);
    const char c = bytes.front();
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (length > 1 || static_cast<uint8_t>(c) >= 0x20 || c == '\n' || c == '\t') {
      out += c == '\x7F' ? std::string_view("?") : bytes.substr(0, length);
    } else if (c != '\r') {
      out += '?';
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace dlpc
