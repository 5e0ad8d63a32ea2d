// Measures what parallel_for costs for 1 to 10 million elements, with one thread and with all.
#include "timing.h"

#include <ATen/Parallel.h>

#include <cstdio>
#include <vector>

int main() {
  std::puts("  elements   one thread  all threads");
  const int threads = at::get_num_threads();
  for (int64_t size = 1; size <= 10'000'000; size *= 10) {
    std::vector<float> values(static_cast<size_t>(size), 1.0f);
    const auto run = [&] {
      at::parallel_for(0, size, 32768, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          values[static_cast<size_t>(i)] *= 1.000001f;
      });
    };
    const size_t calls = size < 100'000 ? 1000 : 3;
    at::set_num_threads(1);
    const double one = nanoseconds(calls, run);
    at::set_num_threads(threads);
    std::printf(
        "%10lld %9.1f us %9.1f us\n", static_cast<long long>(size), one / 1000,
        nanoseconds(calls, run) / 1000);
  }
}
