#include "harness/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace dlpc {
namespace {

// Two pages of which the second is not accessible.
class Pages {
 public:
  Pages() {
    begin_ = static_cast<char*>(
        mmap(nullptr, 2 * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(begin_ + kSize, kSize, PROT_NONE);
    std::memset(begin_, 7, kSize);
  }
  ~Pages() { munmap(begin_, 2 * kSize); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* begin() const { return begin_; }
  char* end() const { return begin_ + kSize; }
  const size_t kSize = static_cast<size_t>(sysconf(_SC_PAGESIZE));

 private:
  char* begin_;
};

TEST(MemoryTest, ReadsGoodMemory) {
  std::string from(100'000, '\0');
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 31);
  std::string to(from.size(), 'x');
  EXPECT_TRUE(SafeReadAll(from.data(), to.data(), from.size()));
  EXPECT_EQ(from, to);
  EXPECT_TRUE(SafeReadAll(nullptr, to.data(), 0));
}

TEST(MemoryTest, BadAddressesAreAnswers) {
  char to[16];
  const Pages pages;
  for (uintptr_t bad : {uintptr_t{0}, uintptr_t{16}, uintptr_t{1} << 47, uintptr_t{1} << 62,
                        UINTPTR_MAX - 3, reinterpret_cast<uintptr_t>(pages.end())}) {
    EXPECT_EQ(SafeRead(reinterpret_cast<void*>(bad), to, sizeof to), 0u) << bad;
    EXPECT_FALSE(SafeWrite(reinterpret_cast<void*>(bad), to, sizeof to)) << bad;
  }
}

TEST(MemoryTest, RangesThatRunIntoABadPage) {
  char to[16] = {};
  const Pages pages;
  EXPECT_EQ(SafeRead(pages.end() - 8, to, sizeof to), 8u);
  EXPECT_FALSE(SafeReadAll(pages.end() - 8, to, sizeof to));
  EXPECT_TRUE(SafeReadAll(pages.end() - 16, to, sizeof to));
  EXPECT_FALSE(SafeWrite(pages.end() - 8, to, sizeof to));
  EXPECT_TRUE(SafeReadAll(pages.begin(), to, sizeof to)) << "works after failures";
}

TEST(MemoryTest, WritesOnlyWhatIsWritable) {
  const Pages pages;
  EXPECT_TRUE(SafeWrite(pages.begin(), "ab", 2));
  EXPECT_EQ(pages.begin()[1], 'b');
  mprotect(pages.begin(), pages.kSize, PROT_READ);
  EXPECT_FALSE(SafeWrite(pages.begin(), "cd", 2));
  EXPECT_EQ(pages.begin()[1], 'b');
}

TEST(MemoryTest, PagesAreAskedAboutAgainOnDemand) {
  const Pages pages;
  char to[16];
  EXPECT_TRUE(SafeReadAll(pages.begin(), to, sizeof to));
  mprotect(pages.begin(), pages.kSize, PROT_NONE);
  ForgetReadable();
  EXPECT_FALSE(SafeReadAll(pages.begin(), to, sizeof to));
}

#ifdef __SANITIZE_ADDRESS__
TEST(MemorySanitizedTest, FreedMemoryIsNotRead) {
  auto block = std::make_unique<char[]>(100);
  const char* address = block.get();
  char to[100];
  EXPECT_EQ(SafeRead(address, to, 100), 100u);
  EXPECT_EQ(SafeRead(address + 50, to, 100), 50u);
  block.reset();
  EXPECT_EQ(SafeRead(address, to, 100), 0u);
}
#endif

TEST(HeapTest, GrowsAndShrinksByWhatIsAllocated) {  // Also under a sanitizer.
  const auto before = HeapInUse();
  if (!before) GTEST_SKIP() << "this C library does not tell";
  constexpr int kBytes = 50'000;
  auto block = std::make_unique<char[]>(kBytes);
  char first = 1;
  EXPECT_TRUE(SafeReadAll(block.get(), &first, 1));  // So it cannot be optimized away.
  EXPECT_GE(*HeapInUse() - *before, kBytes);
  block.reset();
  EXPECT_LT(*HeapInUse() - *before, kBytes);
}

TEST(ExecutableTest, TellsCodeFromData) {
  static int data = 0;
  EXPECT_TRUE(IsExecutable(reinterpret_cast<const void*>(&std::strlen)));
  EXPECT_TRUE(IsExecutable(reinterpret_cast<const void*>(&SafeRead)));
  EXPECT_FALSE(IsExecutable(&data));
  EXPECT_FALSE(IsExecutable(std::make_unique<int>().get()));
  EXPECT_FALSE(IsExecutable(nullptr));
  EXPECT_FALSE(IsExecutable(reinterpret_cast<const void*>(16)));
}

TEST(ExecutableTest, SeesCodeThatIsMappedLater) {
  const Pages pages;
  EXPECT_FALSE(IsExecutable(pages.begin()));
  ASSERT_EQ(mprotect(pages.begin(), pages.kSize, PROT_READ | PROT_EXEC), 0);
  EXPECT_TRUE(IsExecutable(pages.begin()));
}

}  // namespace
}  // namespace dlpc
