// The arguments of one `__dlpack__` call, as data.
#ifndef DLPC_REFERENCE_REQUEST_H_
#define DLPC_REFERENCE_REQUEST_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace dlpc {

constexpr bool SameDevice(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}
/// (kDLCPU, 0), the only device of the host's own memory.
constexpr bool IsCpu(DLDevice device) { return SameDevice(device, {kDLCPU, 0}); }

/// How a keyword is given. kOwn is for dl_device only: the tuple that `__dlpack_device__` returned.
enum class Arg : uint8_t { kAbsent, kNone, kValue, kOwn, kOdd, kCount_ };

/// Values of the wrong type or shape, for kOdd.
enum class Odd : uint8_t {
  kInt1,        // 1
  kString,      // 'x'
  kList,        // [1, 0]
  kTuple1,      // (1,)
  kTuple3,      // (1, 0, 0)
  kStrings,     // ('1', '0')
  kNoneInPair,  // (None, 0)
  kObject,      // object()
  kInt2,        // 2
  kCount_,
};
std::string_view OddText(Odd odd);  // The Python expression of the value.

/// An extra argument that no producer knows.
enum class Extra : uint8_t { kNone, kUnknownKeyword, kPositional, kCount_ };

/// As stream_value: the handle of the stream that the script makes for the consumer.
inline constexpr int64_t kConsumersStream = INT64_MAX;

struct Request {
  Arg version = Arg::kAbsent;
  DLPackVersion max_version{1, 0};
  Arg copy = Arg::kAbsent;
  bool copy_value = false;
  Arg device = Arg::kAbsent;
  DLDevice dl_device{kDLCPU, 0};
  Arg stream = Arg::kAbsent;
  int64_t stream_value = 0;
  Odd odd = Odd::kInt1;  // The value of whichever keyword is kOdd.
  Extra extra = Extra::kNone;
};

/// "max_version=(1, 3), copy=True": as Python source, for reports and repros.
std::string RequestText(const Request& request);

/// Request with only max_version given.
Request WithVersion(uint32_t major, uint32_t minor);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_REQUEST_H_
