// The process edge: the host mode or a verb of the command line, and every failure as one line and
// an exit code.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "conformance/command_line.h"
#include "conformance/complain.h"
#include "harness/hosts/host_main.h"

int main(int argc, char** argv) {
  // A descriptor that the caller closed would be given to a host's pipe, and then be printed to.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
  try {
    const bool host = argc > 1 && std::string_view(argv[1]) == "__host";
    const int code = host ? dlpc::RunHostMain(argc, argv) : dlpc::RunCommandLine(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return dlpc::Complain(dlpc::kEngine, "cannot write to standard output");
  } catch (const std::exception& error) {
    return dlpc::Complain(dlpc::kEngine, error.what());
  } catch (...) {
    return dlpc::Complain(dlpc::kEngine, "unknown internal error");
  }
}
