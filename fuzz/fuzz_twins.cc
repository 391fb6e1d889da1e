#include "fuzz/fuzz_target.h"

DLPC_FUZZ_TARGET(dlpc::PropertyTwins)
