#pragma once

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/ready_queue.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace torch::autograd {

// The threads of an engine: one for each device that has them, started when it is first needed, and
// those that take over when passes nest too deeply.
struct Engine::Threads {
  // What other threads leave for this one.
  std::shared_ptr<ReadyQueue> queue_of_this_thread();
  // Where nodes of a device run; those of the CPU on the owner's thread.
  std::shared_ptr<ReadyQueue> queue_for(
      Engine& engine, at::Device device, const std::shared_ptr<ReadyQueue>& owner);
  // Waits for a task and runs it; false when it asks the thread to end.
  bool run_next(Engine& engine, ReadyQueue& queue);
  // Counts a node of a shared pass as done, and wakes the owner after the last.
  void finish_one(GraphTask& task);
  // Runs a pass to its end on a new thread, while this one waits.
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
