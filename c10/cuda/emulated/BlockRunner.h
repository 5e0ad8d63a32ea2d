#pragma once

#include <c10/cuda/emulated/DeviceThread.h>
#include <c10/cuda/emulated/Fiber.h>
#include <c10/cuda/emulated/Random.h>
#include <c10/cuda/emulated/SharedMemory.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cuda_emulation {

// A kernel that runs, and what was found wrong with it.
struct Execution {
  std::string name;
  LaunchShape shape;
  std::function<void()> thread;
  size_t shared_limit;
  bool reversed = false; // the second run, in the opposite order
  uint64_t seed = 0;
  std::atomic<bool> order_dependent{false};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string report; // the first failure
  enum class Failure { Launch, Address, Assertion } failure = Failure::Launch;
};

// Runs the blocks of a kernel on one host thread, one after the other.
//
// Every thread of a block runs until it ends or waits, in an order that a seed decides anew between
// two barriers; with `reversed` set, in exactly the opposite order. A thread that never waits needs
// no stack of its own, because the next thread starts on the stack where it ended: a kernel without
// barriers uses one stack per block, however many threads it has.
class BlockRunner {
 public:
  explicit BlockRunner(Execution& execution);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Returns false if the kernel failed.
  bool run(size_t block);

  // The runner of the calling host thread while one of its fibers runs, else null.
  static BlockRunner* current();

  // ---- called on a fiber
  const DeviceThread& thread() const { return running_->info; }
  int barrier(int vote, const char* file, int line);
  const uint64_t* exchange(unsigned mask, uint64_t word);
  void* shared(const void* site, size_t bytes, const char* name);
  void* dynamic_shared();
  Execution& execution() { return execution_; }
  const SharedMemory& shared_memory() const { return shared_; }
  // Records what the running thread did wrong, and ends the kernel.
  [[noreturn]] void fail(std::string what, Execution::Failure failure = Execution::Failure::Launch);

 private:
  enum class State { Ready, AtBarrier, InExchange, Ended };
  struct Thread {
    DeviceThread info;
    State state = State::Ready;
    Fiber* fiber = nullptr;
    const char* file = nullptr; // where the barrier stands that it waits at
    int line = 0;
    unsigned mask = 0; // the lanes of the exchange it waits in
    size_t order = 0;
  };
  // A rendezvous of the lanes of a mask. A lane can be one exchange ahead of another that has yet
  // to read its words, never two, hence two buffers.
  struct Exchange {
    size_t warp;
    unsigned mask;
    unsigned arrived = 0;
    int turn = 0;
    uint64_t words[2][32] = {};
  };

  void start_block(size_t block);
  void make_ready(std::vector<Thread*> threads);
  void run_ready();
  bool release_barrier();
  void fiber_body(Fiber& fiber);
  void wait(State state);
  Exchange& exchange_of(size_t warp, unsigned mask);
  std::string explain_deadlock() const;
  std::string place(const Thread& thread) const;

  Execution& execution_;
  SharedMemory shared_;
  Random random_{0};
  std::vector<Thread> threads_;
  std::deque<Thread*> ready_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::deque<Exchange> exchanges_;
  Thread* running_ = nullptr;
  int votes_ = 0;
  int barrier_result_ = 0;
  const char dynamic_site_ = 0;
};

} // namespace cuda_emulation
