// Internal to reference/: the twin whose table is what ctypes would make.
#ifndef DLPC_REFERENCE_EXCHANGE_TWINS_H_
#define DLPC_REFERENCE_EXCHANGE_TWINS_H_

#include <dlpack/dlpack.h>

namespace dlpc {

/// The correct table, with functions that are reached through code in anonymous memory.
const DLPackExchangeAPI* AnonymousTable();

}  // namespace dlpc

#endif  // DLPC_REFERENCE_EXCHANGE_TWINS_H_
