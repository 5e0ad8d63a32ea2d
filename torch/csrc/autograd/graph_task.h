#pragma once

#include <ATen/ThreadLocalState.h>
#include <c10/core/Stream.h>
#include <torch/csrc/autograd/input_buffer.h>
#include <torch/csrc/autograd/node.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace torch::autograd {

struct ReadyQueue;

// The state of a node in a backward pass.
struct NodeState {
  // Passes the gradient of an input to the caller of autograd.grad.
  struct Capture {
    uint32_t input_nr;
    size_t output;
  };

  explicit NodeState(Node* node) : node(node) {}
  bool should_execute() const { return needed || !captures.empty(); }

  Node* node;
  uint32_t dependencies = 0; // number of edges whose gradients are still missing
  bool needed = false;       // whether it leads to a requested output
  InputBuffer inputs;
  std::vector<Capture> captures;
};

// The states of a graph's nodes, hashed by the node's address.
class TORCH_API NodeStates {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  NodeState& operator[](uint32_t index) { return states_[index]; }
  const NodeState& operator[](uint32_t index) const { return states_[index]; }
  size_t size() const { return states_.size(); }
  uint32_t find(const Node* node) const;
  // Looks up a node that is known to be present.
  uint32_t at(const Node* node) const {
    const uint32_t index = find(node);
    TORCH_INTERNAL_ASSERT(index != kNone);
    return index;
  }
  // Reserves space for this many nodes.
  void reserve(size_t count);
  // Adds the node if it is not there yet.
  std::pair<uint32_t, bool> insert(Node* node);

 private:
  struct Slot {
    const Node* node;
    uint32_t index;
  };
  size_t first_slot(const Node* node) const {
    // The high bits of the product depend on all bits of the address.
    return (reinterpret_cast<uintptr_t>(node) * UINT64_C(0x9E3779B97F4A7C15)) >> shift_;
  }
  void rehash(size_t slots);

  std::vector<NodeState> states_;
  std::vector<Slot> slots_; // a power of two in size, at most half full
  int shift_ = 64;
};

// One backward pass: its graph, the nodes that are ready, and the captured gradients. The thread
// that started it owns it and runs its CPU nodes. Other threads take part only if the graph has
// nodes of other devices.
struct TORCH_API GraphTask : std::enable_shared_from_this<GraphTask> {
  GraphTask(bool keep_graph, bool create_graph, const GraphTask* outer);
  GraphTask(const GraphTask&) = delete;

  // Visits the nodes reachable from `root`; nodes below `min_topological_nr` are not expanded.
  void compute_dependencies(Node* root, uint64_t min_topological_nr);
  // Restricts the pass to nodes that lead to `outputs`, whose gradients are accumulated or
  // captured.
  void init_to_execute(const edge_list& outputs, bool accumulate_grad);
  // Whether a node runs in this pass.
  bool executes(const Node* node) const;

  bool can_checkpoint() const { return checkpoint_valid_; }
  void capture(const NodeState& state, const variable_list& grads);
  // Returns a vector of `size` undefined gradients, reusing memory if possible.
  variable_list take_buffer(size_t size);
  void give_buffer(variable_list&& buffer);

  // ---- nodes that are ready on the owner's thread: nodes created later run first
  void push_ready(uint32_t index);
  bool pop_ready(uint32_t& index);

  // ---- between threads
  // The caller of backward gets the first error.
  void fail(std::exception_ptr exception);
  bool is_owner() const;
  void set_owner();

  const bool keep_graph_;
  const bool create_graph_;
  const uint64_t id_;
  const int depth_;              // nesting depth of the pass
  bool selective_ = false;       // whether init_to_execute was called
  bool shared_ = false;          // whether other threads take part
  bool several_streams_ = false; // whether nodes have other streams than the caller's
  bool checkpoint_valid_;
  NodeStates states_;
  variable_list captured_vars_;
  at::ThreadLocalState thread_locals_;
  std::vector<c10::Stream> streams_; // the caller's current ones

  // Guards states_ and captured_vars_ of a shared task.
  std::mutex mutex_;
  std::shared_ptr<ReadyQueue> owner_queue_;
  std::atomic<uint64_t> outstanding_tasks_{0};
  std::atomic<bool> has_error_{false};
  std::exception_ptr exception_;

  std::mutex final_callbacks_lock_;
  std::vector<std::function<void()>> final_callbacks_;

 private:
  struct Ready {
    uint64_t sequence_nr;
    uint32_t index;
    bool operator<(const Ready& other) const { return sequence_nr < other.sequence_nr; }
  };
  std::vector<Ready> ready_; // a heap
  std::vector<variable_list> spare_;
  const void* owner_ = nullptr;
};

// The pass that this thread works on; null outside of backward.
TORCH_API GraphTask* get_current_graph_task();
class GraphTaskGuard {
 public:
  explicit GraphTaskGuard(GraphTask* task);
  ~GraphTaskGuard();
  C10_DISABLE_COPY_AND_ASSIGN(GraphTaskGuard);

 private:
  GraphTask* previous_;
};

// -1 outside of backward.
TORCH_API int get_current_graph_task_id();
TORCH_API bool get_current_graph_task_keep_graph();
// The order in which the pass will run its nodes, as far as it is known.
TORCH_API std::vector<Node*> get_current_graph_task_execution_order();

} // namespace torch::autograd
