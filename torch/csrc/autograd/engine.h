#pragma once

#include <c10/util/FunctionRef.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <functional>
#include <memory>

namespace torch::autograd {

// How deep backward calls may nest on one thread before another thread takes over.
constexpr int MAX_DEPTH = 60;

// Checks that each gradient fits its edge: reduces broadcast gradients, casts dtypes, and throws on
// a mismatch. `from` is the node that computed them, null for the caller of backward.
TORCH_API void validate_outputs(const edge_list& edges, variable_list& grads, const Node* from);

// Runs backward passes. CPU nodes run on the calling thread, nodes of other devices on a thread of
// that device, on the stream of their operator. The Python engine is a subclass.
struct TORCH_API Engine {
  static Engine& get_default_engine();
  static Engine& get_base_engine();
  Engine(const Engine&) = delete;
  virtual ~Engine();

  // Propagates the gradients `inputs` from the `roots` through the graph. Leaves accumulate their
  // gradients. If `outputs` are given, only those accumulate or, without `accumulate_grad`, their
  // gradients are returned.
  virtual variable_list execute(
      const edge_list& roots, const variable_list& inputs, bool keep_graph, bool create_graph,
      bool accumulate_grad, const edge_list& outputs = {});

  virtual std::unique_ptr<AnomalyMetadata> make_anomaly_metadata();
  // Returns the hooks for each saved tensor while c10::autograd_state.saved_tensor_hooks is set.
  virtual std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks();
  // Called when a node throws: in the exception handler, on the node's thread, before the error is
  // passed to the thread that called backward.
  virtual void thread_on_exception(
      GraphTask& task, const c10::intrusive_ptr<Node>& fn, std::exception& error);
  // Main function of the engine's threads.
  virtual void thread_init(c10::function_ref<void()> main);

  // Queues a callback to run at the end of the current pass.
  void queue_callback(std::function<void()> callback);
  // Whether a checkpoint may start a pass within the current one.
  bool is_checkpoint_valid() const;
  // Stops the device threads.
  void stop();

 protected:
  Engine();

 private:
  void run(const std::shared_ptr<GraphTask>& task);
  void run_owned(GraphTask& task);
  void run_node(GraphTask& task, Node* fn, variable_list&& inputs);
  void evaluate_function(GraphTask& task, Node* fn, variable_list&& inputs);
  void deliver(GraphTask& task, const Node& fn, variable_list& outputs);
  void schedule(GraphTask& task, uint32_t index);
  void run_callbacks(GraphTask& task);

  struct Threads;
  std::unique_ptr<Threads> threads_;
};

using EngineStub = Engine& (*)();
TORCH_API void set_default_engine_stub(EngineStub stub);

// Whether the current pass, if any, runs this node.
TORCH_API bool current_graph_task_executes(const Node* node);

} // namespace torch::autograd
