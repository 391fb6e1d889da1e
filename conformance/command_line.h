// Every verb and option of the program. What the options mean to a verb is beside the verb, in its
// own cli_*.h; this is the only place that knows the library that parses them.
#ifndef DLPC_CONFORMANCE_COMMAND_LINE_H_
#define DLPC_CONFORMANCE_COMMAND_LINE_H_

namespace dlpc {

/// Parses, performs the verb and returns the exit code (docs/results.md); a mistake in the command
/// line is one line on stderr and kUsage.
int RunCommandLine(int argc, char** argv);

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_COMMAND_LINE_H_
