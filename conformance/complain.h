// How verbs end: exit codes, and the one line on stderr that says why.
#ifndef DLPC_CONFORMANCE_COMPLAIN_H_
#define DLPC_CONFORMANCE_COMPLAIN_H_

#include <string>

namespace dlpc {

enum Exit : int { kAsExpected = 0, kUnexpected = 1, kUsage = 2, kEngine = 3, kNothingRan = 4 };

/// Prints the message as one line without control characters; returns `code`.
int Complain(int code, std::string message);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_COMPLAIN_H_
