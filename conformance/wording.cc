#include "conformance/wording.h"

namespace dlpc::internal {

constinit thread_local bool words_wanted = true;

}  // namespace dlpc::internal
