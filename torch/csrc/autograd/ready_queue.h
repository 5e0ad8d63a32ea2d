#pragma once

#include <torch/csrc/autograd/graph_task.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <queue>

namespace torch::autograd {

// A node for another thread. A task without a node only wakes the thread.
struct NodeTask {
  std::weak_ptr<GraphTask> base;
  c10::intrusive_ptr<Node> fn;
  variable_list inputs;
  bool is_shutdown = false;
};

// The tasks that other threads queue for a thread: those of the innermost pass first, then nodes
// created later first.
struct ReadyQueue {
  void push(NodeTask task, int depth);
  // Waits until there is a task.
  NodeTask pop();

 private:
  struct Entry {
    int depth;
    uint64_t sequence_nr;
    // Moved out of the queue's top, which is const.
    mutable NodeTask task;
    bool operator<(const Entry& other) const {
      return depth != other.depth ? depth < other.depth : sequence_nr < other.sequence_nr;
    }
  };
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::priority_queue<Entry> heap_;
};

} // namespace torch::autograd
