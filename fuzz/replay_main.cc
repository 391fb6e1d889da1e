// Runs a fuzz target on files and folders: linked by default, so that the targets build with every
// compiler and their corpora are replayed by the ordinary tests. Prints which file is running, so
// that a crash names its input.
//
//     fuzz_TARGET [-runs=N] FILE_OR_FOLDER...
//
// With -runs it tries N mutations of the files instead, the same ones each time: a campaign without
// an engine. What breaks a property is then left in the working folder.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/sample.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                                size_t most, unsigned seed);

namespace {

using Bytes = std::vector<uint8_t>;
using Random = std::minstd_rand;

constexpr size_t kLongest = 1024;  // Of mutated inputs.
constexpr const char* kLeft = "fuzz-crash";

std::vector<std::filesystem::path> Inputs(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().filename() != ".gitkeep") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Replay(const std::filesystem::path& path, const Bytes& bytes) {
  std::fprintf(stderr, "replaying %s\n", path.c_str());
  return LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0;
}

// ---- Mutations ----------------------------------------------------------------------------------

Bytes* current = nullptr;

void LeaveInput(int number) {
  const int file = open(kLeft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0 && write(file, current->data(), current->size()) >= 0) close(file);
  signal(number, SIG_DFL);
  raise(number);
}

size_t Below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

// One place is changed, dropped, doubled, or taken from another input.
void MutateOnce(Random& random, const Bytes& other, Bytes& bytes) {
  const auto at = static_cast<std::ptrdiff_t>(Below(random, bytes.size() + 1));
  const size_t rest = bytes.size() - static_cast<size_t>(at);
  const auto count = static_cast<std::ptrdiff_t>(Below(random, std::min<size_t>(rest, 8) + 1));
  const auto place = bytes.begin() + at;
  switch (Below(random, 6)) {
    case 0:
      bytes.erase(place, place + count);
      break;
    case 1: {
      const Bytes copy(place, place + count);
      bytes.insert(place, copy.begin(), copy.end());
      break;
    }
    case 2: {
      const size_t from = Below(random, other.size());
      const size_t most = std::min<size_t>(other.size() - from, 32);
      bytes.insert(place, other.begin() + static_cast<std::ptrdiff_t>(from),
                   other.begin() + static_cast<std::ptrdiff_t>(from + most));
      break;
    }
    case 3:
      bytes.insert(place, static_cast<uint8_t>(random() >> 8));
      break;
    case 4:
      if (rest > 0) *place = static_cast<uint8_t>(random() >> 8);
      break;
    default:
      if (rest > 0) *place = static_cast<uint8_t>(*place ^ 1u << Below(random, 8));
  }
}

void Mutate(Random& random, const std::vector<Bytes>& inputs, Bytes& bytes) {
  bytes = inputs[Below(random, inputs.size())];
  if (LLVMFuzzerCustomMutator != nullptr && Below(random, 2) == 0) {
    const size_t size = std::min(bytes.size(), kLongest);
    bytes.resize(kLongest);
    bytes.resize(
        LLVMFuzzerCustomMutator(bytes.data(), size, kLongest, static_cast<unsigned>(random())));
  }
  for (size_t left = 1 + Below(random, 4); left > 0; --left) {
    MutateOnce(random, inputs[Below(random, inputs.size())], bytes);
  }
  if (bytes.size() > kLongest) bytes.resize(kLongest);
}

void Campaign(long runs, const std::vector<Bytes>& inputs) {
  Bytes bytes;
  current = &bytes;
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, LeaveInput);
  Random random(1);
  for (long run = 0; run < runs; ++run) {
    Mutate(random, inputs, bytes);
    const Bytes exact(bytes);  // Nothing behind its end.
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  std::printf("%ld mutations tried\n", runs);
}

}  // namespace

int main(int argc, char** argv) {
  long runs = 0;
  std::vector<Bytes> inputs;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-runs=", 6) == 0) {
      runs = std::strtol(argv[i] + 6, nullptr, 10);
      continue;
    }
    for (const auto& path : Inputs(argv[i])) {
      std::ifstream file(path, std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
      if (!file) {
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
        return 1;
      }
      dlpc::check_everything = true;
      if (runs == 0 && !Replay(path, inputs.back())) return 1;
    }
  }
  if (inputs.empty()) return 1;
  dlpc::check_everything = false;
  if (runs > 0) Campaign(runs, inputs);
  std::printf("%zu inputs\n", inputs.size());
  return 0;
}
