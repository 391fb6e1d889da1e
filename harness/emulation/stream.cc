// The stream extension: JAX asks it which stream to hand to a producer, and passes on the stream of
// a consumer, which must wait until the buffer is ready. There are no streams here, only counts.
#include "harness/emulation/stream.h"

#include "harness/emulation/counters.h"
#include "harness/emulation/objects.h"

namespace dlpc::emulation {
namespace {

Error* GetStream(GetStreamArgs* args) {
  args->stream = static_cast<intptr_t>(args->device->client->options.stream);
  return nullptr;
}

Error* WaitOnStream(WaitOnStreamArgs* args) {
  CountWait(args->stream);
  return nullptr;
}

}  // namespace

void* Streams() {
  static StreamExtension extension = {sizeof(StreamExtension), kStreamExtensionType, nullptr,
                                      GetStream, WaitOnStream};
  return &extension;
}

}  // namespace dlpc::emulation
