// A thread pool that implements Parallel.h without the OpenMP runtime, so ThreadSanitizer can
// follow it.
#include <ATen/Parallel.h>

#if !defined(AT_PARALLEL_OPENMP) || !AT_PARALLEL_OPENMP

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace at {

namespace {

thread_local int this_thread = 0;
thread_local bool inside = false;

// One running loop. Workers claim chunks through a counter, so a late worker costs nothing.
struct Job {
  internal::RangeFunction function;
  const void* body;
  int64_t begin;
  int64_t end;
  int64_t chunk;
  int tasks;
  std::atomic<int> next{0};
  std::atomic<int> finished{0};
  int users = 0; // workers that hold a pointer to this job; guarded by the pool's mutex
  std::mutex error_mutex;
  std::exception_ptr error;

  void work() {
    const bool outer = inside;
    const int outer_thread = this_thread;
    inside = true;
    for (int task = next.fetch_add(1); task < tasks; task = next.fetch_add(1)) {
      this_thread = task;
      const int64_t from = begin + task * chunk;
      try {
        if (from < end) {
          function(body, from, std::min(end, from + chunk));
        }
      } catch (...) {
        const std::lock_guard<std::mutex> lock(error_mutex);
        if (!error) {
          error = std::current_exception();
        }
      }
      finished.fetch_add(1, std::memory_order_acq_rel);
    }
    inside = outer;
    this_thread = outer_thread;
  }
};

class Pool {
 public:
  static Pool& get() {
    static Pool* pool = [] {
      // A forked child has none of the parent's threads, so it starts with an empty pool.
      pthread_atfork(nullptr, nullptr, [] { instance() = new Pool; });
      return instance() = new Pool;
    }();
    (void)pool;
    return *instance();
  }

  void run(Job& job) {
    const std::lock_guard<std::mutex> one_at_a_time(run_mutex_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (static_cast<int>(threads_.size()) < job.tasks - 1) {
        threads_.emplace_back([this] { serve(); });
        threads_.back().detach();
      }
      job_ = &job;
      ++generation_;
    }
    wake_.notify_all();
    job.work();
    std::unique_lock<std::mutex> lock(mutex_);
    job_ = nullptr;
    idle_.wait(lock, [&] { return job.finished.load() == job.tasks && job.users == 0; });
  }

 private:
  static Pool*& instance() {
    static Pool* pool = nullptr;
    return pool;
  }

  void serve() {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return job_ != nullptr && generation_ != seen; });
      seen = generation_;
      Job* job = job_;
      ++job->users;
      lock.unlock();
      job->work();
      lock.lock();
      --job->users;
      idle_.notify_one();
    }
  }

  std::mutex run_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  uint64_t generation_ = 0;
};

} // namespace

namespace internal {

void set_thread_num(int thread) {
  this_thread = thread;
}

void run_parallel(
    int64_t begin, int64_t end, int64_t grain_size, RangeFunction function, const void* body) {
  const int64_t wanted = divup(end - begin, std::max<int64_t>(grain_size, 1));
  Job job{};
  job.function = function;
  job.body = body;
  job.begin = begin;
  job.end = end;
  job.tasks = static_cast<int>(std::min<int64_t>(wanted, get_num_threads()));
  job.chunk = divup(end - begin, job.tasks);
  Pool::get().run(job);
  if (job.error) {
    std::rethrow_exception(job.error);
  }
}

} // namespace internal

int get_thread_num() {
  return this_thread;
}

bool in_parallel_region() {
  return inside;
}

std::string get_parallel_info() {
  return "ATen/Parallel:\n\tat::get_num_threads() : " + std::to_string(get_num_threads()) +
      "\n\tat::get_num_interop_threads() : " + std::to_string(get_num_interop_threads()) +
      "\nATen parallel backend: native thread pool\n";
}

} // namespace at

#endif
