#include <torch/csrc/autograd/ready_queue.h>

#include <utility>

namespace torch::autograd {

void ReadyQueue::push(NodeTask task, int depth) {
  const uint64_t sequence_nr = task.fn ? task.fn->sequence_nr() : UINT64_MAX;
  {
    const std::lock_guard lock(mutex_);
    heap_.push({depth, sequence_nr, std::move(task)});
  }
  not_empty_.notify_one();
}

NodeTask ReadyQueue::pop() {
  std::unique_lock lock(mutex_);
  not_empty_.wait(lock, [this] { return !heap_.empty(); });
  NodeTask task = std::move(heap_.top().task);
  heap_.pop();
  return task;
}

} // namespace torch::autograd
