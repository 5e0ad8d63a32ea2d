#include <ATen/Parallel.h>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

class Parallel : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = at::get_num_threads();
    at::set_num_threads(4);
  }
  void TearDown() override { at::set_num_threads(before_); }
  int before_ = 1;
};

TEST_F(Parallel, CoversEachIndexOnce) {
  for (int64_t count : {0, 1, 7, 1000, 100003}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
    at::parallel_for(0, count, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        ++visits[static_cast<size_t>(i)];
      }
    });
    for (auto& visit : visits) {
      ASSERT_EQ(visit, 1);
    }
  }
}

TEST_F(Parallel, NestedLoopsRunInPlace) {
  std::atomic<int64_t> total{0};
  at::parallel_for(0, 100, 1, [&](int64_t begin, int64_t end) {
    EXPECT_TRUE(at::in_parallel_region());
    at::parallel_for(begin, end, 1, [&](int64_t from, int64_t to) {
      EXPECT_EQ(from, begin);
      EXPECT_EQ(to, end);
      total += to - from;
    });
  });
  EXPECT_EQ(total, 100);
}

TEST_F(Parallel, RethrowsAChunksException) {
  EXPECT_THROW(
      at::parallel_for(
          0, 1000, 1,
          [](int64_t begin, int64_t) {
            if (begin == 0) {
              throw std::runtime_error("from a chunk");
            }
          }),
      std::runtime_error);
  EXPECT_FALSE(at::in_parallel_region());
}

TEST_F(Parallel, WorksInAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads";
#endif
  auto sum_of_indices = [] {
    std::atomic<int64_t> total{0};
    at::parallel_for(0, 1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        total += i;
      }
    });
    return total.load();
  };
  ASSERT_EQ(sum_of_indices(), 499500); // starts the parent's threads
  const pid_t child = fork();
  if (child == 0) {
    alarm(10); // kills a child that hangs
    _exit(sum_of_indices() == 499500 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Parallel, ReducesInOrder) {
  const int64_t sum = at::parallel_reduce(
      0, 100001, 100, int64_t{0},
      [](int64_t begin, int64_t end, int64_t start) {
        for (int64_t i = begin; i < end; ++i) {
          start += i;
        }
        return start;
      },
      [](int64_t a, int64_t b) { return a + b; });
  EXPECT_EQ(sum, int64_t{100000} * 100001 / 2);
}

} // namespace
