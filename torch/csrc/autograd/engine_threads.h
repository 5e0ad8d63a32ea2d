#pragma once

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/engine_streams.h>
#include <torch/csrc/autograd/ready_queue.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace torch::autograd {

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
