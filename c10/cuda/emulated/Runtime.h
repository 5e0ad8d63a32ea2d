#pragma once

#include <c10/cuda/emulated/Emulation.h>
#include <c10/cuda/emulated/Graph.h>
#include <c10/cuda/emulated/Kernel.h>
#include <c10/cuda/emulated/Memory.h>
#include <c10/cuda/emulated/Scheduler.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

// What the handles of the API point to.
struct CUstream_st {
  std::shared_ptr<cuda_emulation::Queue> queue;
};
struct CUevent_st {
  struct Mark {
    std::chrono::steady_clock::time_point time;
  };
  bool timed = true;
  bool shared = false; // with other processes
  int device = -1;
  cuda_emulation::Point point;
  std::shared_ptr<Mark> mark;
  // When it was recorded in a captured stream.
  std::shared_ptr<cuda_emulation::Capture> capture;
  std::vector<size_t> nodes;
};
struct CUgraph_st {
  std::shared_ptr<cuda_emulation::Graph> graph;
};
struct CUgraphExec_st {
  std::shared_ptr<cuda_emulation::Graph> graph;
};

namespace cuda_emulation {

constexpr size_t kSharedPerBlock = size_t{48} << 10;
constexpr size_t kGranule = size_t{2} << 20; // mapped memory comes in multiples of it

// Memory of other processes, by the handle that opened it: where it lies, and how often it was
// opened.
struct OpenedMemory {
  void* pointer;
  int uses;
};
using ForeignMemory = std::map<std::string, OpenedMemory>;

// The state of the emulated machine, behind one lock.
//
// An entry of the API is a function that runs under `call`, which takes the lock, counts the call
// for injected failures, repeats an error that only the end of the process cures, and keeps the
// calling thread's last error.
class Runtime {
 public:
  static Runtime& get();
  // Lives as long as the process; reset() replaces it.
  static void reset(const Settings& settings);

  explicit Runtime(const Settings& settings);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const Settings& settings() const { return settings_; }
  Scheduler& scheduler() { return scheduler_; }
  PinnedMemory& pinned() { return pinned_; }
  ForeignMemory& foreign() { return foreign_; }
  DeviceMemory& memory(int device) { return *memories_[static_cast<size_t>(device)]; }
  DeviceMemory* memory_of(const void* pointer);
  int devices() const { return settings_.devices; }
  bool valid_device(int device) const { return device >= 0 && device < settings_.devices; }
  bool peers(int from, int to) const { return from == to || peers_.count({from, to}) != 0; }
  bool enable_peer(int from, int to) { return peers_.insert({from, to}).second; }

  // Handles: null for one that is not alive.
  std::shared_ptr<Queue> queue(cudaStream_t stream);
  cudaStream_t create_stream(bool blocking, int priority);
  bool destroy_stream(cudaStream_t stream);
  std::set<cudaEvent_t>& events() { return events_; }
  std::set<cudaGraph_t>& graphs() { return graphs_; }
  std::set<cudaGraphExec_t>& executables() { return executables_; }

  // Queues the operation, or adds it to the graph that is captured from the stream.
  cudaError_t issue(const std::shared_ptr<Queue>& queue, Operation operation);
  // An error if a capture forbids calls that wait or allocate.
  cudaError_t forbid_in_capture();

  // ---- what operations do
  cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, int device);
  cudaError_t set(void* pointer, int value, size_t bytes);
  cudaError_t run(Execution& execution, const void* code, int device, bool check_order);

  bool next_allocation_fails() { return ++allocations_ == settings_.fail_allocation; }
  bool next_call_loses_device() { return ++calls_ == settings_.lose_device; }
  std::map<void*, std::pair<size_t, std::string>>& parts() { return parts_; }
  void report(const std::string& text);
  const std::string& last_report() const { return last_report_; }
  std::vector<std::string> leaks() const;

  std::mutex mutex;
  cudaError_t sticky = cudaSuccess;

 private:
  std::byte* bytes_for(const void* pointer, size_t bytes, std::string& problem);

  const Settings settings_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<DeviceMemory>> memories_;
  std::vector<std::shared_ptr<Queue>> default_queues_;
  PinnedMemory pinned_;
  ForeignMemory foreign_;
  std::set<std::pair<int, int>> peers_;
  std::set<cudaStream_t> streams_;
  std::set<cudaEvent_t> events_;
  std::set<cudaGraph_t> graphs_;
  std::set<cudaGraphExec_t> executables_;
  std::map<void*, std::pair<size_t, std::string>> parts_; // blocks of allocators: size and stream
  int64_t allocations_ = 0;
  int64_t launches_ = 0;
  int64_t calls_ = 0;
  std::string last_report_;
};

// The calling thread's.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};
ThreadState& thread_state();

using Lock = std::unique_lock<std::mutex>;

template <typename Body>
cudaError_t call(Body body) {
  Runtime& runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (runtime.next_call_loses_device()) runtime.sticky = cudaErrorDevicesUnavailable;
  cudaError_t error = runtime.sticky;
  if (error == cudaSuccess && runtime.devices() == 0) error = cudaErrorNoDevice;
  if (error == cudaSuccess) error = body(runtime, lock);
  if (error != cudaSuccess && error != cudaErrorNotReady) thread_state().last_error = error;
  return error;
}

} // namespace cuda_emulation
