// The table of the twin table-anonymous: what ctypes would make. Not in reference/, which is pure.
#ifndef DLPC_HARNESS_HOSTS_ANONYMOUS_TABLE_H_
#define DLPC_HARNESS_HOSTS_ANONYMOUS_TABLE_H_

#include <dlpack/dlpack.h>

namespace dlpc {

/// The correct table, with functions that are reached through code in anonymous memory.
const DLPackExchangeAPI* AnonymousTable();

}  // namespace dlpc

#endif  // DLPC_HARNESS_HOSTS_ANONYMOUS_TABLE_H_
