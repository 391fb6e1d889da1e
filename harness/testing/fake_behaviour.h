// What the fake host's producer does when it is asked for an array with so many elements.
#ifndef DLPC_HARNESS_TESTING_FAKE_BEHAVIOUR_H_
#define DLPC_HARNESS_TESTING_FAKE_BEHAVIOUR_H_

#include <cstdint>

namespace dlpc {

enum FakeBehaviour : int64_t {
  kFakeGood = 1,
  kFakeSegfault,
  kFakeAbort,
  kFakeExit3,
  kFakeExit0,
  kFakeHang,
  kFakePrintGarbage,    // 4 MiB on stdout, then all is well.
  kFakePrintThenAbort,  // 6000 bytes that are no UTF-8 on stderr.
  kFakeCloseDescriptors,
  kFakeEatMemory,
  kFakeThrow,
  kFakeGarbageReply,  // Text into the reply pipe.
  kFakeLongFrame,     // A frame header that promises 1 GiB into the reply pipe.
  kFakePoison,        // The next kFakeTriggered dies.
  kFakeTriggered,
  kFakeTimeBomb,       // The fifth array from here dies.
  kFakeDieOnce,        // Dies unless the file named by DLPC_FAKE_ONCE is there, which it makes.
  kFakeDetachedChild,  // Leaves a grandchild that holds all pipes, then aborts.
};

}  // namespace dlpc

#endif  // DLPC_HARNESS_TESTING_FAKE_BEHAVIOUR_H_
