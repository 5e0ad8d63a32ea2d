#pragma once

#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>
#include <string>

// Intra-op parallelism: one loop split over threads. Two backends implement these functions
// (ParallelOpenMP.cpp, ParallelNative.cpp); ATEN_THREADING selects one at build time.

namespace at {

namespace internal {

// The number of elements of cheap work that justifies another thread.
inline constexpr int64_t GRAIN_SIZE = 32768;

using RangeFunction = void (*)(const void* body, int64_t begin, int64_t end);

// Returns 0 until the number of threads is first queried.
TORCH_API extern std::atomic<int> num_threads;
TORCH_API int init_num_threads();

// Runs the body over [begin, end) in chunks of at least grain_size, one chunk per thread. After all
// chunks have finished, rethrows the first exception.
TORCH_API void run_parallel(
    int64_t begin, int64_t end, int64_t grain_size, RangeFunction function, const void* body);

TORCH_API void set_thread_num(int thread);

inline int64_t divup(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

} // namespace internal

inline int64_t divup(int64_t value, int64_t by) {
  return internal::divup(value, by);
}

// The number of threads a loop may use; at least one.
inline int get_num_threads() {
  const int known = internal::num_threads.load(std::memory_order_relaxed);
  return C10_LIKELY(known > 0) ? known : internal::init_num_threads();
}
TORCH_API void set_num_threads(int count);
TORCH_API int get_thread_num();
TORCH_API bool in_parallel_region();

// Inter-op threads: how many independent operators may run at once.
TORCH_API void set_num_interop_threads(int count);
TORCH_API int get_num_interop_threads();

// The text that torch.__config__.parallel_info() prints.
TORCH_API std::string get_parallel_info();

// Calls f(begin, end) on disjoint ranges that together cover [begin, end). Ranges no longer than
// grain_size, nested loops and a single thread run in place, without touching the pool.
template <typename F>
inline void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  if (begin >= end) {
    return;
  }
  if (end - begin <= grain_size || get_num_threads() == 1 || in_parallel_region()) {
    f(begin, end);
    return;
  }
  internal::run_parallel(
      begin, end, grain_size,
      [](const void* body, int64_t from, int64_t to) { (*static_cast<const F*>(body))(from, to); },
      &f);
}

// Combines the results of f(begin, end, identity) with sf, in the order of the ranges.
template <typename T, typename F, typename SF>
inline T parallel_reduce(
    int64_t begin, int64_t end, int64_t grain_size, const T identity, const F& f, const SF& sf) {
  if (begin >= end) {
    return identity;
  }
  const int threads = get_num_threads();
  if (end - begin <= grain_size || threads == 1 || in_parallel_region()) {
    return f(begin, end, identity);
  }
  constexpr int kMaxParts = 256;
  const int64_t wanted = internal::divup(end - begin, grain_size > 0 ? grain_size : 1);
  const int64_t allowed = threads < kMaxParts ? threads : kMaxParts;
  const int64_t parts = wanted < allowed ? wanted : allowed;
  const int64_t step = internal::divup(end - begin, parts);
  T partial[kMaxParts];
  parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t from = begin + part * step;
      const int64_t to = from + step < end ? from + step : end;
      partial[part] = from < to ? f(from, to, identity) : identity;
    }
  });
  T result = identity;
  for (int64_t part = 0; part < parts; ++part) {
    result = sf(result, partial[part]);
  }
  return result;
}

} // namespace at
