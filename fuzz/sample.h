// Dear checks are made of a part of the inputs only, chosen by their bytes: the same input is
// always treated alike. Replays make every check.
#ifndef DLPC_FUZZ_SAMPLE_H_
#define DLPC_FUZZ_SAMPLE_H_

#include <cstdint>
#include <cstring>
#include <span>

namespace dlpc {

/// True in replays.
inline bool check_everything = false;

/// Whether this input is one of the one in `every` that get the dear checks as well. `every` is a
/// power of two.
inline bool Sampled(std::span<const uint8_t> bytes, uint64_t every) {
  if (check_everything) return true;
  uint64_t hash = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at < 8 ? bytes.size() - at : 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash % every == 0;
}

}  // namespace dlpc

#endif  // DLPC_FUZZ_SAMPLE_H_
