// See stream.cc.
#ifndef DLPC_HARNESS_EMULATION_STREAM_H_
#define DLPC_HARNESS_EMULATION_STREAM_H_

namespace dlpc::emulation {

/// The extension, for the chain of the function table.
void* Streams();

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_STREAM_H_
