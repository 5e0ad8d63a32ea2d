#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/BlockCache.h>
#include <c10/core/impl/PyObjectSlot.h>
#include <c10/util/SmallMutex.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/input_metadata.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch::autograd {

class SavedVariable;

using tensor_list = std::vector<at::Tensor>;
using edge_list = c10::SmallVector<Edge, 3>;
using saved_variable_list = std::vector<SavedVariable>;
// The half-open range of a node's outputs that belongs to one argument, which may be a list.
using IndexRange = std::pair<size_t, size_t>;

// Rarely used data of a node, created on demand.
struct NodeExtras {
  std::vector<std::unique_ptr<FunctionPreHook>> pre_hooks;
  std::vector<std::unique_ptr<FunctionPreHook>> tensor_pre_hooks;
  // Indexed by the output they watch. They run after the other hooks.
  std::vector<std::pair<size_t, std::unique_ptr<FunctionPreHook>>> retains_grad_hooks;
  std::vector<std::unique_ptr<FunctionPostHook>> post_hooks;
  std::unique_ptr<AnomalyMetadata> anomaly_metadata;
};

// A function in the backward graph: takes the gradients of an operator's outputs and returns the
// gradients of its inputs, each along its edge. The engine runs nodes that were created later
// first.
struct TORCH_API Node : c10::intrusive_ptr_target, c10::impl::PooledObject {
  struct undefined_input {};

  explicit Node(edge_list&& next_edges) : Node(next_sequence_nr(), std::move(next_edges)) {}
  Node() : Node(next_sequence_nr()) {}
  explicit Node(uint64_t sequence_nr) : sequence_nr_(sequence_nr) {
    if (C10_UNLIKELY(AnomalyMode::is_enabled())) {
      record_creation_site();
    }
  }
  Node(uint64_t sequence_nr, edge_list&& next_edges);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  c10::intrusive_ptr<Node> getptr() { return c10::intrusive_ptr<Node>::reclaim_copy(this); }

  // Evaluates the function.
  variable_list operator()(variable_list&& inputs) { return apply(std::move(inputs)); }
  virtual std::string name() const;
  // Name of the operator: "Mul" for MulBackward0, "Fill2" for FillBackward2.
  std::string forward_op_name() const;

  // ---- inputs: one per output of the operator
  uint32_t add_input_metadata(const at::Tensor& tensor) {
    input_metadata_.emplace_back(tensor);
    return static_cast<uint32_t>(input_metadata_.size() - 1);
  }
  uint32_t add_input_metadata(const at::TensorOptions& options, at::IntArrayRef shape) {
    input_metadata_.emplace_back(options, shape);
    return static_cast<uint32_t>(input_metadata_.size() - 1);
  }
  uint32_t add_input_metadata(undefined_input) {
    input_metadata_.emplace_back();
    return static_cast<uint32_t>(input_metadata_.size() - 1);
  }
  uint32_t num_inputs() const { return static_cast<uint32_t>(input_metadata_.size()); }
  const InputMetadata& input_metadata(size_t index) const { return input_metadata_[index]; }
  InputMetadata& mutable_input_metadata(size_t index) { return input_metadata_[index]; }
  void clear_input_metadata() { input_metadata_.clear(); }
  // The device of the first input that is not on the CPU; the engine runs the node on that device's
  // thread.
  at::Device device() const;
  // The stream of the same input; the engine runs the node on it. nullopt on the CPU.
  std::optional<c10::Stream> stream() const;

  // ---- outputs: one per differentiable input of the operator
  uint32_t num_outputs() const { return static_cast<uint32_t>(next_edges_.size()); }
  const Edge& next_edge(size_t index) const { return next_edges_[index]; }
  const edge_list& next_edges() const { return next_edges_; }
  void set_next_edges(edge_list&& next_edges);
  void set_next_edge(size_t index, Edge edge);
  void add_next_edge(Edge edge);

  // Whether this gradient is needed: by the graph, and by the current backward pass.
  bool should_compute_output(size_t index) const {
    TORCH_CHECK(index < next_edges_.size(), "Index out of range");
    return next_edges_[index].is_valid();
  }
  bool should_compute_output(std::initializer_list<IndexRange> ranges) const;
  bool task_should_compute_output(size_t index) const {
    return should_compute_output(index) && needed_by_task(index);
  }
  bool task_should_compute_output(std::initializer_list<IndexRange> ranges) const;

  // ---- order
  uint64_t sequence_nr() const { return sequence_nr_; }
  void set_sequence_nr(uint64_t sequence_nr) { sequence_nr_ = sequence_nr; }
  // The length of the longest path to a leaf: a node that is not higher than another cannot lead to
  // it.
  uint64_t topological_nr() const { return topological_nr_; }

  // ---- the Python object of this node
  c10::impl::PyObjectSlot* pyobj_slot() { return &pyobj_slot_; }
  const c10::impl::PyObjectSlot* pyobj_slot() const { return &pyobj_slot_; }

  // ---- hooks
  void add_pre_hook(std::unique_ptr<FunctionPreHook> hook);
  void add_tensor_pre_hook(std::unique_ptr<FunctionPreHook> hook);
  void add_retains_grad_hook(std::unique_ptr<FunctionPreHook> hook, size_t output_idx);
  std::unique_ptr<FunctionPreHook> pop_retains_grad_hook(size_t output_idx);
  // Returns the key to pass to del_post_hook.
  uintptr_t add_post_hook(std::unique_ptr<FunctionPostHook> hook);
  bool del_post_hook(uintptr_t key);
  std::vector<std::unique_ptr<FunctionPreHook>>& pre_hooks() { return extras().pre_hooks; }
  std::vector<std::unique_ptr<FunctionPostHook>>& post_hooks() { return extras().post_hooks; }
  // Null if the node has none.
  NodeExtras* extras_or_null() const { return extras_.get(); }
  // A leaf stores its own hooks, because accumulators are recreated.
  virtual std::vector<std::unique_ptr<FunctionPreHook>>* tensor_pre_hooks() {
    return extras_ ? &extras_->tensor_pre_hooks : nullptr;
  }
  virtual PostAccumulateGradHook* tensor_post_acc_grad_hooks() const { return nullptr; }

  // ---- anomaly mode
  AnomalyMetadata* metadata();
  // Records the node being evaluated as the creator of this one.
  void assign_parent();

  // Releases the tensors saved for backward; applying the node afterwards is an error.
  virtual void release_variables() {}
  // Called before apply if release_variables will follow.
  virtual void will_release_variables() {}
  virtual bool is_traceable() { return false; }

 protected:
  virtual variable_list apply(variable_list&& inputs) = 0;
  void release_resources() override;

  // Lock for apply and release_variables, which several backward passes may call at once.
  c10::SmallMutex mutex_;

 private:
  template <typename T, typename... Variables>
  friend c10::intrusive_ptr<T> make_node(const Variables&... variables);

  static uint64_t next_sequence_nr();
  void record_creation_site();
  void update_topological_nr(const Edge& edge) {
    if (edge.function && topological_nr_ <= edge.function->topological_nr_) {
      topological_nr_ = edge.function->topological_nr_ + 1;
    }
  }
  bool needed_by_task(size_t index) const;
  NodeExtras& extras();

  uint64_t sequence_nr_;
  uint64_t topological_nr_ = 0;
  edge_list next_edges_;
  c10::SmallVector<InputMetadata, 1> input_metadata_;
  c10::impl::PyObjectSlot pyobj_slot_;
  std::unique_ptr<NodeExtras> extras_;
};

// The sequence number of the next node created on this thread.
TORCH_API uint64_t peek_sequence_nr();

// The node that this thread is evaluating; null outside of backward.
TORCH_API c10::intrusive_ptr<Node> get_current_node();

class TORCH_API NodeGuard {
 public:
  explicit NodeGuard(Node* node);
  ~NodeGuard();
  C10_DISABLE_COPY_AND_ASSIGN(NodeGuard);

 private:
  Node* previous_;
};

struct TraceableFunction : Node {
  using Node::Node;
  bool is_traceable() final { return true; }
};

} // namespace torch::autograd
