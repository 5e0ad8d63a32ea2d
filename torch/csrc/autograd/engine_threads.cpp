#include <torch/csrc/autograd/engine_threads.h>

#include <c10/core/DeviceGuard.h>

#include <climits>
#include <exception>
#include <optional>

namespace torch::autograd {

namespace {
thread_local std::shared_ptr<ReadyQueue> this_queue;
} // namespace

std::shared_ptr<ReadyQueue> Engine::Threads::queue_of_this_thread() {
  if (!this_queue) {
    this_queue = std::make_shared<ReadyQueue>();
  }
  return this_queue;
}

std::shared_ptr<ReadyQueue> Engine::Threads::queue_for(
    Engine& engine, at::Device device, const std::shared_ptr<ReadyQueue>& owner) {
  if (should_run_in_cpu_ready_queue(device.type())) {
    return owner;
  }
  const std::lock_guard lock(mutex_);
  DeviceThread& on_device = devices_[{device.type(), device.index()}];
  if (!on_device.queue) {
    on_device.queue = std::make_shared<ReadyQueue>();
    on_device.thread = std::thread([this, &engine, device, queue = on_device.queue] {
      this_queue = queue;
      engine.thread_init([&] {
        std::optional<c10::DeviceGuard> guard;
        if (c10::impl::hasDeviceGuardImpl(device.type())) {
          guard.emplace(device);
        }
        while (run_next(engine, *queue)) {
        }
      });
    });
  }
  return on_device.queue;
}

bool Engine::Threads::run_next(Engine& engine, ReadyQueue& queue) {
  NodeTask next = queue.pop();
  const std::shared_ptr<GraphTask> task = next.base.lock();
  // A task without a node only wakes the thread; a failed pass needs no more work.
  if (task && next.fn && !task->has_error_) {
    const at::ThreadLocalStateGuard as_caller(task->thread_locals_);
    const StreamsGuard streams(*task, next.fn.get());
    const GraphTaskGuard task_guard(task.get());
    engine.run_node(*task, next.fn.get(), std::move(next.inputs));
    // A leaf's node must not outlive its graph: the next graph would use it, with its stream.
    next.fn.reset();
    finish_one(*task);
  }
  return !next.is_shutdown;
}

void Engine::Threads::finish_one(GraphTask& task) {
  const bool last = task.outstanding_tasks_.fetch_sub(1) == 1;
  if ((last || task.has_error_) && !task.is_owner()) {
    task.owner_queue_->push({task.weak_from_this(), nullptr, {}}, INT_MAX);
  }
}

void Engine::Threads::run_on_another_thread(
    Engine& engine, const std::shared_ptr<GraphTask>& task) {
  std::exception_ptr error;
  std::thread thread([&, queue = this_queue] {
    this_queue = queue;
    engine.thread_init([&] {
      const at::ThreadLocalStateGuard as_caller(task->thread_locals_);
      const StreamsGuard streams(*task);
      try {
        engine.run_owned(*task);
      } catch (...) {
        error = std::current_exception();
      }
    });
  });
  thread.join();
  if (error) {
    std::rethrow_exception(error);
  }
}

void Engine::Threads::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& [device, on_device] : devices_) {
    on_device.queue->push({{}, nullptr, {}, /*is_shutdown=*/true}, INT_MAX);
    on_device.thread.join();
  }
  devices_.clear();
}

void Engine::stop() {
  threads_->stop();
}

} // namespace torch::autograd
