#include "harness/hosts/host_main.h"

#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/hosts/native_backend.h"
#include "harness/hosts/reference_backend.h"
#include "reference/mutants.h"

namespace dlpc {
namespace {

constexpr std::string_view kHost = "__host";
constexpr int kExitUsage = 2;

int Descriptor(std::string_view text) {
  int fd = -1;
  std::from_chars(text.data(), text.data() + text.size(), fd);
  return fd;
}

Expected<std::unique_ptr<Backend>> MakeReference(const std::vector<std::string>& args) {
  const MutantRow* row = nullptr;
  if (args.size() == 3 && args[1] == "--mutant") {
    row = FindMutant(args[2]);
    if (row == nullptr) return Error{"there is no mutant " + args[2]};
  } else if (args.size() != 1) {
    return Error{"usage: __host reference [--mutant NAME] FD FD FD"};
  }
  const Mutant mutant = row == nullptr ? Mutant::kNone : row->mutant;
  return std::unique_ptr<Backend>(std::make_unique<ReferenceBackend>(mutant));
}

Expected<std::unique_ptr<Backend>> MakeNative(const std::vector<std::string>& args) {
  if (args.size() != 2) return Error{"usage: __host native PATH FD FD FD"};
  auto backend = NativeBackend::Open(args[1]);
  if (!backend) return backend.error();
  return std::unique_ptr<Backend>(std::move(*backend));
}

Expected<std::unique_ptr<Backend>> MakeBackend(const std::vector<std::string>& args) {
  if (args[0] == "reference") return MakeReference(args);
  if (args[0] == "native") return MakeNative(args);
  return Error{"there is no host of the kind " + args[0]};
}

}  // namespace

HostCommand ReferenceHost(const std::string& self, const std::string& mutant) {
  HostCommand command{self, {std::string(kHost), "reference"}, {}};
  if (!mutant.empty()) command.args.insert(command.args.end(), {"--mutant", mutant});
  return command;
}

HostCommand NativeHost(const std::string& self, const std::string& library) {
  return {self, {std::string(kHost), "native", library}, {}};
}

bool IsHostMain(int argc, char** argv) { return argc > 1 && argv[1] == kHost; }

int RunHostMain(int argc, char** argv) {
  if (argc < 6) return kExitUsage;
  const int request_fd = Descriptor(argv[argc - 3]);
  const int reply_fd = Descriptor(argv[argc - 2]);
  const int progress_fd = Descriptor(argv[argc - 1]);
  auto backend = MakeBackend({argv + 2, argv + argc - 3});
  if (!backend) return ServeFailure(backend.error().message, reply_fd);
  const int code = ServeHost(backend->get(), request_fd, reply_fd, progress_fd);
  if (code != kHostEnds) return code;
  [[maybe_unused]] const Backend* kept = backend->release();  // Exports outlive the interpreter.
  return 0;
}

}  // namespace dlpc
