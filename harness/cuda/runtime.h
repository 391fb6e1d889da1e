// As much of the CUDA runtime as the suite needs, behind an interface: the real one (runtime.cc)
// on a machine with a GPU, a fake one in tests.
#ifndef DLPC_HARNESS_CUDA_RUNTIME_H_
#define DLPC_HARNESS_CUDA_RUNTIME_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "reference/expected.h"

namespace dlpc::cuda {

enum class Kind : uint8_t { kUnregistered, kDevice, kHost, kManaged };

/// What the driver knows of an address.
struct PointerFacts {
  Kind kind = Kind::kUnregistered;
  int ordinal = 0;  // Of the device that it belongs to.
};

/// A cudaStream_t as a number. DLPack numbers the default streams as the runtime does.
using Stream = uint64_t;
inline constexpr Stream kLegacyStream = 1;
inline constexpr Stream kPerThreadStream = 2;

class Runtime {
 public:
  virtual ~Runtime() = default;

  /// At least 1; an Error that says why there is none: "no CUDA device (...)".
  virtual Expected<int> Devices() = 0;
  virtual Expected<PointerFacts> Facts(const void* pointer) = 0;

  /// On device 0; kDevice, kHost or kManaged.
  virtual Expected<void*> Allocate(Kind kind, size_t bytes) = 0;
  virtual void Free(Kind kind, void* memory) = 0;

  /// One that the legacy default stream does not wait for.
  virtual Expected<Stream> MakeStream() = 0;
  virtual void DropStream(Stream stream) = 0;
  virtual Status Copy(void* to, const void* from, size_t bytes, Stream stream) = 0;
  /// The stream does nothing for that long.
  virtual Status Delay(Stream stream, std::chrono::milliseconds time) = 0;
  /// What is put on `waiting` from now on runs after all that is on `working` now.
  virtual Status LetWait(Stream waiting, Stream working) = 0;
  virtual Status Synchronize(Stream stream) = 0;
};

/// The CUDA runtime of this machine.
std::unique_ptr<Runtime> RealRuntime();

}  // namespace dlpc::cuda

#endif  // DLPC_HARNESS_CUDA_RUNTIME_H_
