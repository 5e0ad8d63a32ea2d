#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/lazy/backend/backend_interface.h>
#include <torch/csrc/lazy/core/graph.h>
#include <torch/csrc/lazy/core/tensor.h>

#include <list>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace torch::lazy {

// Runs what was recorded. A graph is compiled once: computations are found again by the graph's
// hash, and the least recently used ones are forgotten.
class TORCH_API LazyGraphExecutor {
 public:
  static constexpr size_t kCachedComputations = 1024;

  static LazyGraphExecutor& get();

  // Tensors' data registers itself while it lives.
  void add(LazyData* data);
  void remove(LazyData* data);

  // Computes all tensors of the device that have not been computed yet, as one graph.
  void mark_step();
  // Computes these tensors, as one graph.
  void sync(at::TensorList tensors);
  // Computes a tensor and returns its elements, which are on the CPU and must not be written.
  at::Tensor data(const at::Tensor& tensor);
  // The graph that would compute these tensors.
  Graph graph_of(at::TensorList tensors);

  void clear_cache();

 private:
  using Recent = std::list<std::pair<Hash, ComputationPtr>>;

  void run(const std::vector<Value>& outputs);
  ComputationPtr compiled(const Graph& graph);

  std::mutex live_mutex_;
  std::unordered_set<LazyData*> live_;
  Recent recent_;
  std::unordered_map<Hash, Recent::iterator> cache_;
};

} // namespace torch::lazy
