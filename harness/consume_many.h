// Many exports, taken out of their capsules, as consumers do. What of them is still there
// afterwards, and what is left behind?
#ifndef DLPC_HARNESS_CONSUME_MANY_H_
#define DLPC_HARNESS_CONSUME_MANY_H_

#include <chrono>

#include "harness/backend.h"

namespace dlpc {

/// Loops that leave nothing behind end after this time, whatever their number: a slow producer must
/// not look like one that hangs.
inline constexpr std::chrono::seconds kLongestLoop{2};

/// kConsumeMany: exports s.a s.n times, each time renaming the capsule as s.name says and dropping
/// it. All managed tensors are then ours and alive at once, so no two may have one address: a
/// struct that a capsule's destructor freed is handed out again sooner or later. This shows also
/// where destructors do not go through the deleter field, which a counting deleter cannot see. Then
/// each is released, unless some were freed already. Uses slot s.e, which must be empty.
///
/// If s.pending each is released at once instead: a loop of exports that leaves nothing behind.
Observation ConsumeMany(Backend* backend, const Step& s);

/// kReleaseTogether: exports s.a s.n times, on several threads at once if s.thread is kForeign, and
/// consumes each; compares the structs and elements of all with those of one more export that this
/// thread made first; then releases all on several threads at once, which hold no lock. Uses all
/// export slots, which must be empty.
Observation ReleaseTogether(Backend* backend, const Step& s);

}  // namespace dlpc

#endif  // DLPC_HARNESS_CONSUME_MANY_H_
