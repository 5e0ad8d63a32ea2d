#include <c10/cuda/emulated/BlockRunner.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cuda_emulation {

namespace {

thread_local BlockRunner* current_runner = nullptr;

std::string text_of(const uint3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
      std::to_string(index.z) + ")";
}
uint3 unravel(size_t flat, const dim3& size) {
  return {
      static_cast<unsigned>(flat % size.x), static_cast<unsigned>(flat / size.x % size.y),
      static_cast<unsigned>(flat / size.x / size.y)};
}

} // namespace

BlockRunner::BlockRunner(Execution& execution) : execution_(execution) {
  const dim3& block = execution.shape.block;
  threads_.resize(size_t{block.x} * block.y * block.z);
  // What nobody wrote is a NaN in one run and a large number in the other.
  shared_.start_launch(execution.shared_limit, std::byte(execution.reversed ? 0x7F : 0xFF));
}
BlockRunner::~BlockRunner() = default;

BlockRunner* BlockRunner::current() {
  return current_runner != nullptr && current_runner->running_ != nullptr ? current_runner
                                                                          : nullptr;
}

void BlockRunner::start_block(size_t block) {
  random_ = Random(execution_.seed + block);
  exchanges_.clear();
  votes_ = 0;
  shared_.start_block();
  std::vector<Thread*> all;
  for (size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread = {};
    thread.info = {
        unravel(i, execution_.shape.block), unravel(block, execution_.shape.grid),
        execution_.shape.block, execution_.shape.grid, static_cast<int>(i % 32)};
    all.push_back(&thread);
  }
  ready_.clear();
  make_ready(std::move(all));
}

void BlockRunner::make_ready(std::vector<Thread*> threads) {
  random_.shuffle(threads);
  if (execution_.reversed) std::reverse(threads.begin(), threads.end());
  for (Thread* thread : threads) {
    thread->state = State::Ready;
    ready_.push_back(thread);
  }
}

bool BlockRunner::run(size_t block) {
  current_runner = this;
  start_block(block);
  do {
    run_ready();
  } while (!execution_.failed && release_barrier());
  current_runner = nullptr;
  if (!execution_.failed) {
    if (const std::string problem = shared_.check(); !problem.empty()) {
      const std::lock_guard<std::mutex> lock(execution_.mutex);
      if (!execution_.failed.exchange(true)) {
        execution_.report =
            "a thread of block " + text_of(threads_[0].info.block_index) + " " + problem;
      }
    }
  }
  return !execution_.failed;
}

void BlockRunner::run_ready() {
  while (!ready_.empty() && !execution_.failed) {
    running_ = ready_.front();
    ready_.pop_front();
    if (running_->fiber == nullptr) {
      if (idle_.empty()) {
        fibers_.push_back(std::make_unique<Fiber>([this](Fiber& fiber) { fiber_body(fiber); }));
        idle_.push_back(fibers_.back().get());
      }
      running_->fiber = idle_.back();
      idle_.pop_back();
    }
    running_->fiber->resume();
    running_ = nullptr;
  }
}

// Runs one thread of the block after the other, as they are handed to this fiber.
void BlockRunner::fiber_body(Fiber& fiber) {
  while (true) {
    execution_.thread();
    running_->state = State::Ended;
    running_->fiber = nullptr;
    idle_.push_back(&fiber);
    fiber.suspend();
  }
}

bool BlockRunner::release_barrier() {
  std::vector<Thread*> waiting;
  bool others = false;
  for (Thread& thread : threads_) {
    if (thread.state == State::AtBarrier) waiting.push_back(&thread);
    if (thread.state == State::InExchange) others = true;
  }
  if (waiting.empty() && !others) return false;
  const auto elsewhere = std::find_if(waiting.begin(), waiting.end(), [&](const Thread* thread) {
    return thread->line != waiting[0]->line || thread->file != waiting[0]->file;
  });
  if (others || elsewhere != waiting.end()) {
    const std::lock_guard<std::mutex> lock(execution_.mutex);
    if (!execution_.failed.exchange(true)) execution_.report = explain_deadlock();
    return false;
  }
  barrier_result_ = std::exchange(votes_, 0);
  make_ready(std::move(waiting));
  return true;
}

std::string BlockRunner::place(const Thread& thread) const {
  std::string text =
      "block " + text_of(thread.info.block_index) + ", thread " + text_of(thread.info.thread_index);
  if (thread.state == State::AtBarrier) {
    text += " at the barrier of " + std::string(thread.file) + ":" + std::to_string(thread.line);
  } else if (thread.state == State::InExchange) {
    text += " in a warp function with mask " + std::to_string(thread.mask);
  }
  return text;
}

std::string BlockRunner::explain_deadlock() const {
  const Thread* first = nullptr;
  std::string text = "its threads wait for each other in different places: ";
  for (const Thread& thread : threads_) {
    if (thread.state == State::Ended) continue;
    if (first == nullptr) {
      first = &thread;
      text += place(thread);
    } else if (
        thread.state != first->state || thread.line != first->line || thread.mask != first->mask) {
      return text + "; " + place(thread);
    }
  }
  return text + "; the others that it waits for have ended";
}

void BlockRunner::wait(State state) {
  running_->state = state;
  running_->fiber->suspend();
}

int BlockRunner::barrier(int vote, const char* file, int line) {
  running_->file = file;
  running_->line = line;
  votes_ += vote;
  wait(State::AtBarrier);
  return barrier_result_;
}

BlockRunner::Exchange& BlockRunner::exchange_of(size_t warp, unsigned mask) {
  for (Exchange& exchange : exchanges_) {
    if (exchange.warp == warp && exchange.mask == mask) return exchange;
  }
  exchanges_.push_back({warp, mask});
  return exchanges_.back();
}

const uint64_t* BlockRunner::exchange(unsigned mask, uint64_t word) {
  const auto index = static_cast<size_t>(running_ - threads_.data());
  const int lane = running_->info.lane;
  // Lanes beyond the end of a block that is no multiple of 32 do not exist.
  const size_t first = index - static_cast<size_t>(lane);
  const size_t lanes = std::min<size_t>(32, threads_.size() - first);
  const unsigned existing = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  if ((mask >> lane & 1) == 0) {
    fail("it called a warp function with a mask that leaves out its own lane");
  }
  Exchange& exchange = exchange_of(first / 32, mask & existing);
  const int turn = exchange.turn;
  exchange.words[turn][lane] = word;
  exchange.arrived |= 1u << lane;
  running_->mask = mask & existing;
  if (exchange.arrived == exchange.mask) {
    exchange.arrived = 0;
    exchange.turn = 1 - turn;
    std::vector<Thread*> waiting;
    for (size_t i = 0; i < lanes; ++i) {
      Thread& thread = threads_[first + i];
      if (thread.state == State::InExchange && thread.mask == exchange.mask) {
        waiting.push_back(&thread);
      }
    }
    make_ready(std::move(waiting));
  } else {
    wait(State::InExchange);
  }
  return exchange.words[turn];
}

void* BlockRunner::shared(const void* site, size_t bytes, const char* name) {
  void* data = shared_.variable(site, bytes, name);
  if (data == nullptr) {
    fail(
        "it has no room for the shared array '" + std::string(name) + "' of " +
        std::to_string(bytes) + " bytes: a block may have " +
        std::to_string(execution_.shared_limit));
  }
  return data;
}

void* BlockRunner::dynamic_shared() {
  return shared(&dynamic_site_, execution_.shape.shared_bytes, "dynamic shared memory");
}

void BlockRunner::fail(std::string what, Execution::Failure failure) {
  {
    const std::lock_guard<std::mutex> lock(execution_.mutex);
    what = place(*running_) + ": " + what;
    if (!execution_.failed.exchange(true)) {
      execution_.report = std::move(what);
      execution_.failure = failure;
    }
    what = std::string(); // nothing on an abandoned stack is destroyed
  }
  Fiber* fiber = running_->fiber;
  running_->state = State::Ended;
  fiber->abandon();
}

// ---- what kernels call

namespace {

BlockRunner& runner() {
  BlockRunner* runner = BlockRunner::current();
  if (runner == nullptr) {
    std::fputs("cuda_emulation: host code called a function of kernels\n", stderr);
    std::abort();
  }
  return *runner;
}

} // namespace

const DeviceThread& this_thread() {
  return runner().thread();
}
int block_barrier(int vote, const char* file, int line) {
  return runner().barrier(vote, file, line);
}
const uint64_t* warp_exchange(unsigned mask, uint64_t word) {
  return runner().exchange(mask, word);
}
void order_dependent() {
  runner().execution().order_dependent = true;
}

void failed_assertion(const char* condition, const char* file, int line) {
  runner().fail(
      "assertion `" + std::string(condition) + "` failed at " + file + ":" + std::to_string(line),
      Execution::Failure::Assertion);
}
void* shared_variable(const void* site, size_t bytes, size_t, const char* name) {
  return runner().shared(site, bytes, name);
}
void* dynamic_shared() {
  return runner().dynamic_shared();
}

} // namespace cuda_emulation
