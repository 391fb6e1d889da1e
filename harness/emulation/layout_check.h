// How layout_check.cc and layout_check_args.cc compare a struct of ours with the real one.
#ifndef DLPC_HARNESS_EMULATION_LAYOUT_CHECK_H_
#define DLPC_HARNESS_EMULATION_LAYOUT_CHECK_H_

#include <xla/pjrt/c/pjrt_c_api.h>

#include <cstddef>
#include <type_traits>

#include "harness/emulation/pjrt_args.h"

// Same place and same size. Kinds of pointers may differ, numbers and truth values may not.
#define SAME_FIELD(ours, our_field, theirs, their_field)                      \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                    sizeof(ours::our_field) == sizeof(theirs::their_field),   \
                #theirs "." #their_field)

namespace dlpc::emulation {

/// Ours has every field of theirs.
template <typename Ours, typename Theirs>
inline constexpr bool kWhole = sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
/// Theirs goes on where ours ends.
template <typename Ours, typename Theirs>
inline constexpr bool kPrefix = sizeof(Ours) < sizeof(Theirs) && alignof(Ours) == alignof(Theirs);

#define SAME_HEADER(ours, theirs)                                                                 \
  static_assert(std::is_standard_layout_v<ours>, #ours);                                          \
  static_assert(                                                                                  \
      offsetof(ours, header) + offsetof(Header, struct_size) == offsetof(theirs, struct_size),    \
      #theirs);                                                                                   \
  static_assert(                                                                                  \
      offsetof(ours, header) + offsetof(Header, extensions) == offsetof(theirs, extension_start), \
      #theirs)

#define WHOLE(ours, theirs) static_assert(kWhole<ours, theirs>, #theirs)
#define PREFIX(ours, theirs) static_assert(kPrefix<ours, theirs>, #theirs)

}  // namespace dlpc::emulation

#endif  // DLPC_HARNESS_EMULATION_LAYOUT_CHECK_H_
