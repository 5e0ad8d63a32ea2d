#include <ATen/Parallel.h>

#include <c10/util/Exception.h>

#include <sched.h>

#include <cstdlib>
#include <thread>

namespace at {

namespace internal {

std::atomic<int> num_threads{0};

namespace {

int positive_from_environment(const char* name) {
  const char* text = std::getenv(name);
  const long value = text ? std::strtol(text, nullptr, 10) : 0;
  return value > 0 && value < 4096 ? static_cast<int>(value) : 0;
}

int available_cores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return CPU_COUNT(&set);
  }
#endif
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? static_cast<int>(cores) : 1;
}

std::atomic<int> interop_threads{0};

} // namespace

int init_num_threads() {
  int count = positive_from_environment("OMP_NUM_THREADS");
  if (count == 0) {
    count = positive_from_environment("MKL_NUM_THREADS");
  }
  if (count == 0) {
    count = available_cores();
  }
  int unset = 0;
  num_threads.compare_exchange_strong(unset, count);
  return num_threads.load();
}

} // namespace internal

void set_num_threads(int count) {
  TORCH_CHECK(count > 0, "set_num_threads expects a positive integer, got ", count);
  internal::num_threads.store(count);
}

void set_num_interop_threads(int count) {
  TORCH_CHECK(count > 0, "set_num_interop_threads expects a positive integer, got ", count);
  int unset = 0;
  TORCH_CHECK(
      internal::interop_threads.compare_exchange_strong(unset, count),
      "cannot set number of interop threads after parallel work has started or "
      "set_num_interop_threads called");
}

int get_num_interop_threads() {
  const int count = internal::interop_threads.load();
  return count > 0 ? count : internal::available_cores();
}

} // namespace at
