// The OpenMP backend of Parallel.h.
#include <ATen/Parallel.h>

#if defined(AT_PARALLEL_OPENMP) && AT_PARALLEL_OPENMP

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <exception>

namespace at {

namespace {

thread_local int this_thread C10_FAST_TLS = 0;

// libgomp gives each thread a team and does not notice that fork leaves the team behind: without
// this, the next parallel region of the child's first thread would wait forever.
thread_local bool team_is_lost C10_FAST_TLS = false;

void watch_for_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { team_is_lost = true; });
  (void)registered;
}

} // namespace

namespace internal {

void set_thread_num(int thread) {
  this_thread = thread;
}

void run_parallel(
    int64_t begin, int64_t end, int64_t grain_size, RangeFunction function, const void* body) {
  if (C10_UNLIKELY(team_is_lost)) {
    function(body, begin, end);
    return;
  }
  watch_for_forks();
  const int64_t wanted = divup(end - begin, std::max<int64_t>(grain_size, 1));
  const int tasks = static_cast<int>(std::min<int64_t>(wanted, get_num_threads()));
  std::exception_ptr first_error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
#pragma omp parallel num_threads(tasks)
  {
    // OpenMP may start fewer threads than requested.
    const int64_t chunk = divup(end - begin, omp_get_num_threads());
    const int thread = omp_get_thread_num();
    const int64_t from = begin + thread * chunk;
    if (from < end) {
      const int outer = this_thread;
      this_thread = thread;
      try {
        function(body, from, std::min(end, from + chunk));
      } catch (...) {
        if (!failed.test_and_set()) {
          first_error = std::current_exception();
        }
      }
      this_thread = outer;
    }
  }
  if (first_error) {
    std::rethrow_exception(first_error);
  }
}

} // namespace internal

int get_thread_num() {
  return this_thread;
}

bool in_parallel_region() {
  return omp_in_parallel();
}

std::string get_parallel_info() {
  return "ATen/Parallel:\n\tat::get_num_threads() : " + std::to_string(get_num_threads()) +
      "\n\tat::get_num_interop_threads() : " + std::to_string(get_num_interop_threads()) +
      "\nOpenMP " + std::to_string(_OPENMP) +
      "\n\tomp_get_max_threads() : " + std::to_string(omp_get_max_threads()) +
      "\nATen parallel backend: OpenMP\n";
}

} // namespace at

#endif
