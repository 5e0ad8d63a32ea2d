#pragma once

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/ready_queue.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace torch::autograd {

// Device types whose work is done when a call returns need no thread of their own: their nodes run
// where the pass was started.
inline bool should_run_in_cpu_ready_queue(c10::DeviceType type) {
  return type == c10::DeviceType::CPU || type == c10::DeviceType::Meta;
}

// The current streams of the calling thread, of all devices of the kinds that a pass has nodes of.
std::vector<c10::Stream> current_streams(const GraphTask& task);

// Makes streams current on this thread while a part of a pass runs, so that nodes on devices queue
// their work where the caller of backward does: behind what the caller did before, and before what
// it does next. A graph that records the caller's stream records the backward pass too.
class StreamsGuard {
 public:
  explicit StreamsGuard(const std::vector<c10::Stream>& streams);
  ~StreamsGuard();
  C10_DISABLE_COPY_AND_ASSIGN(StreamsGuard);

 private:
  std::vector<c10::Stream> previous_;
};

// The threads of an engine: one for each device that needs one, started on first use, and threads
// that take over when passes nest too deeply.
struct Engine::Threads {
  // The tasks that other threads queue for this one.
  std::shared_ptr<ReadyQueue> queue_of_this_thread();
  // The queue for nodes of a device; CPU nodes run on the owner's thread.
  std::shared_ptr<ReadyQueue> queue_for(
      Engine& engine, at::Device device, const std::shared_ptr<ReadyQueue>& owner);
  // Waits for a task and runs it; returns false when the task tells the thread to exit.
  bool run_next(Engine& engine, ReadyQueue& queue);
  // Marks a node of a shared pass as done and wakes the owner after the last one.
  void finish_one(GraphTask& task);
  // Runs a pass to completion on a new thread while this one waits.
  void run_on_another_thread(Engine& engine, const std::shared_ptr<GraphTask>& task);
  void stop();

 private:
  struct DeviceThread {
    std::shared_ptr<ReadyQueue> queue;
    std::thread thread;
  };
  std::mutex mutex_;
  std::map<std::pair<at::DeviceType, at::DeviceIndex>, DeviceThread> devices_;
};

} // namespace torch::autograd
