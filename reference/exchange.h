// The C exchange table of the reference producer (DLPack 1.3), with one switch per fault.
#ifndef DLPC_REFERENCE_EXCHANGE_H_
#define DLPC_REFERENCE_EXCHANGE_H_

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <optional>

#include "reference/producer.h"

namespace dlpc {

/// The interpreter as C code of a thread sees it: there only while the thread holds the lock.
struct RefThread {
  std::optional<Refusal> raised;  // The exception that is set.
  uint32_t calls = 0;             // Of functions of the interpreter.
  // The current stream of each device type, and whether work is running on it.
  std::array<uintptr_t, 32> streams{};
  bool busy = false;

  static RefThread* Current();
  static void SetCurrent(RefThread* thread);
};

/// An object of the interpreter: an array, or something else.
struct RefObject {
  RefProducer* producer = nullptr;  // nullptr: no array.
  RefArrayPtr array;
};

/// The static table of a (mutated) producer. Its functions take RefObject as objects.
const DLPackExchangeAPI* ExchangeTable(Mutant mutant);

}  // namespace dlpc

#endif  // DLPC_REFERENCE_EXCHANGE_H_
