// A program in C++ that shows one failing case of a native plug-in: with nothing but dlpack.h,
// dlpc/producer.h and the plug-in.
#ifndef DLPC_CONFORMANCE_REPRO_NATIVE_PROGRAM_H_
#define DLPC_CONFORMANCE_REPRO_NATIVE_PROGRAM_H_

#include <optional>
#include <string>

#include "conformance/repro/program.h"

namespace dlpc {

/// As ReproProgram.
std::optional<std::string> NativeProgram(const ReproSubject& subject);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_REPRO_NATIVE_PROGRAM_H_
