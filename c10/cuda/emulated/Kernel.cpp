#include <c10/cuda/emulated/Kernel.h>
#include <c10/cuda/emulated/WriteLog.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>

namespace cuda_emulation {

namespace {

// What the fault handler sees of the kernel that runs.
struct Window {
  const std::vector<DeviceMemory*>* reachable;
  WriteLog* log; // null when writes are open
};
std::atomic<Window*> window{nullptr};
std::array<std::atomic<DeviceMemory*>, 16> watched{};
struct sigaction previous_action;

DeviceMemory* memory_at(const void* address) {
  for (const auto& entry : watched) {
    DeviceMemory* memory = entry.load();
    if (memory != nullptr && memory->contains(address)) return memory;
  }
  return nullptr;
}

// fail() does not return, and nothing on this stack is destroyed: text is built in its argument.
void fault_in_kernel(BlockRunner& runner, DeviceMemory* memory, const void* address) {
  if (memory == nullptr) {
    if (runner.shared_memory().contains(address)) {
      runner.fail(
          "it used " + runner.shared_memory().describe(address), Execution::Failure::Address);
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%p", address);
    runner.fail(
        "it used the address " + std::string(text) + ", which no device has",
        Execution::Failure::Address);
  }
  const Window* open = window.load();
  const auto& reachable = *open->reachable;
  if (std::find(reachable.begin(), reachable.end(), memory) == reachable.end()) {
    runner.fail(
        "it used " + memory->describe(address) + ", but its device has no peer access to it",
        Execution::Failure::Address);
  }
  const bool closed = memory->closed_part(address) != nullptr;
  if (memory->find(address) == nullptr || closed || open->log == nullptr) {
    const char* hint = closed ? "; a use on another stream needs record_stream or an event" : "";
    runner.fail("it used " + memory->describe(address) + hint, Execution::Failure::Address);
  }
  open->log->note(*memory, address);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  DeviceMemory* memory = memory_at(info->si_addr);
  if (BlockRunner* runner = BlockRunner::current()) {
    fault_in_kernel(*runner, memory, info->si_addr);
    return;
  }
  if (memory != nullptr) {
    const std::string text =
        "cuda_emulation: host code used device memory: " + memory->describe(info->si_addr) +
        ". Copy it to the host first.\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  } else if ((previous_action.sa_flags & SA_SIGINFO) && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, info, context);
    return;
  }
  // Returning repeats the access, which now ends the process where it happened.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &standard, nullptr);
}

// Blocks in an order that depends on the seed: steps of a stride that has no divisor in common with
// their number reach each one once.
struct BlockOrder {
  BlockOrder(size_t count, uint64_t seed, bool reversed) : count_(count), reversed_(reversed) {
    Random random(seed);
    start_ = random.below(count);
    do {
      stride_ = 1 + random.below(count);
    } while (std::gcd(stride_, count) != 1);
  }
  size_t operator[](size_t i) const {
    return (start_ + (reversed_ ? count_ - 1 - i : i) * stride_) % count_;
  }

 private:
  size_t count_;
  bool reversed_;
  size_t start_;
  size_t stride_;
};

void run_grid(Execution& execution, int host_threads) {
  const dim3& grid = execution.shape.grid;
  const dim3& block = execution.shape.block;
  const size_t blocks = size_t{grid.x} * grid.y * grid.z;
  const BlockOrder order(blocks, execution.seed, execution.reversed);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    BlockRunner runner(execution);
    for (size_t i = next++; i < blocks && !execution.failed; i = next++) {
      if (!runner.run(order[i])) return;
    }
  };
  // Starting a host thread costs as much as some thousand threads of a kernel.
  const size_t threads = size_t{block.x} * block.y * block.z * blocks;
  const size_t helpers = std::min({static_cast<size_t>(host_threads), blocks, threads / 4096 + 1});
  std::vector<std::thread> others;
  for (size_t i = 1; i < helpers; ++i) {
    others.emplace_back(work);
  }
  work();
  for (std::thread& thread : others) {
    thread.join();
  }
}

} // namespace

void install_fault_handler() {
  struct sigaction action = {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER; // a failed thread never returns from the handler
  struct sigaction old = {};
  sigaction(SIGSEGV, &action, &old);
  if (old.sa_sigaction != &on_fault) previous_action = old;
}

void watch(DeviceMemory& memory) {
  watched[static_cast<size_t>(memory.device())] = &memory;
}
void unwatch(DeviceMemory& memory) {
  watched[static_cast<size_t>(memory.device())] = nullptr;
}

std::string run_kernel(
    Execution& execution, const std::vector<DeviceMemory*>& reachable, int host_threads,
    bool check_order) {
  install_fault_handler();
  std::optional<WriteLog> log;
  if (check_order) log.emplace(reachable);
  Window open{&reachable, log ? &*log : nullptr};
  window = &open;
  for (DeviceMemory* memory : reachable) {
    memory->open(!check_order);
  }
  run_grid(execution, host_threads);
  std::string problem;
  if (check_order && !execution.failed && !execution.order_dependent) {
    log->rewind();
    execution.reversed = true;
    run_grid(execution, host_threads);
    if (!execution.failed) {
      const std::string difference = log->difference();
      if (!difference.empty()) {
        problem =
            "its result depends on the order of its threads (is a barrier missing?): " + difference;
      }
    }
  }
  for (DeviceMemory* memory : reachable) {
    memory->close();
  }
  window = nullptr;
  if (execution.failed) problem = execution.report;
  return problem;
}

} // namespace cuda_emulation
