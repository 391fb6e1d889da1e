// Runs a fuzz target on files and folders: linked by default, so that the targets build with every
// compiler and their corpora are replayed by the ordinary tests. Prints which file is running, so
// that a crash names its input.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::filesystem::path> Inputs(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().filename() != ".gitkeep") {
      files.push_back(entry.path());
    }
  }
  return files;
}

bool Replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  std::fprintf(stderr, "replaying %s\n", path.c_str());
  return LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  size_t done = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& path : Inputs(argv[i])) {
      if (!Replay(path)) return 1;
      ++done;
    }
  }
  std::printf("%zu inputs replayed\n", done);
  return done > 0 ? 0 : 1;
}
