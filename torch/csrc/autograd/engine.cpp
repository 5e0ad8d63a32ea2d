#include <torch/csrc/autograd/engine.h>

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine_threads.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/node_observer.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/any.h>
#include <ATen/ops/ne.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

namespace torch::autograd {

std::atomic<NodeObserver*> node_observer{nullptr};

namespace {

std::atomic<EngineStub> engine_stub{&Engine::get_base_engine};

// The number of nested passes on this thread.
constinit thread_local int nesting C10_FAST_TLS = 0;
struct Nested {
  Nested() { ++nesting; }
  ~Nested() { --nesting; }
};

// Nodes below all outputs in topological order cannot lead to one of them.
uint64_t min_topological_nr(const edge_list& outputs) {
  uint64_t least = outputs.empty() ? 0 : UINT64_MAX;
  for (const Edge& edge : outputs) {
    least = std::min(least, edge.function->topological_nr());
  }
  return least;
}

variable_list call_tensor_pre_hooks(Node& fn, variable_list&& inputs) {
  if (auto* hooks = fn.tensor_pre_hooks()) {
    for (const auto& hook : *hooks) {
      inputs = (*hook)(inputs);
    }
  }
  if (NodeExtras* extras = fn.extras_or_null()) {
    for (const auto& [index, hook] : extras->retains_grad_hooks) {
      inputs = (*hook)(inputs);
    }
  }
  return std::move(inputs);
}

variable_list apply(const GraphTask& task, Node& fn, variable_list&& inputs) {
  const ObservedNode observed(fn, "", &inputs);
  if (task.create_graph_ || !fn.is_traceable()) {
    return fn(std::move(inputs));
  }
  // Nothing is recorded and no intermediate tensors are visible, so the autograd kernels, which
  // connect views to their bases, are skipped.
  const at::AutoDispatchBelowADInplaceOrView below;
  return fn(std::move(inputs));
}

variable_list call_function(const GraphTask& task, Node& fn, variable_list& inputs) {
  inputs = call_tensor_pre_hooks(fn, std::move(inputs));
  NodeExtras* extras = fn.extras_or_null();
  if (extras) {
    for (size_t i = 0; i < extras->pre_hooks.size(); ++i) {
      inputs = (*extras->pre_hooks[i])(inputs);
    }
  }
  if (!task.keep_graph_) {
    fn.will_release_variables();
  }
  const bool post_hooks = extras && !extras->post_hooks.empty();
  variable_list kept;
  if (post_hooks) kept = inputs;
  variable_list outputs = apply(task, fn, std::move(inputs));
  validate_outputs(fn.next_edges(), outputs, &fn);
  extras = fn.extras_or_null(); // unpacking a saved tensor may have added a hook
  if (extras) {
    for (size_t i = 0; i < extras->post_hooks.size(); ++i) {
      outputs = (*extras->post_hooks[i])(outputs, kept);
    }
  }
  return outputs;
}

void add_gradient(GraphTask& task, NodeState& to, uint32_t input_nr, Variable&& grad) {
  if (C10_UNLIKELY(task.several_streams_)) {
    add_across_streams(task, to, input_nr, std::move(grad));
  } else {
    to.inputs.add(input_nr, std::move(grad));
  }
}

void check_nan(const Node& fn, const variable_list& outputs) {
  const c10::AutoGradMode grad_mode(false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    TORCH_CHECK(
        !outputs[i].defined() || !at::any(at::ne(outputs[i], outputs[i])).item<bool>(),
        "Function '", fn.name(), "' returned nan values in its ", i, "th output.");
  }
}

} // namespace

// ---- the engines

Engine::Engine() : threads_(std::make_unique<Threads>()) {}
Engine::~Engine() {
  stop();
}

Engine& Engine::get_base_engine() {
  // Never destroyed, because threads may still use it when the program ends.
  struct BaseEngine final : Engine {};
  static auto* const engine = new BaseEngine;
  return *engine;
}

Engine& Engine::get_default_engine() {
  return engine_stub.load(std::memory_order_relaxed)();
}

void set_default_engine_stub(EngineStub stub) {
  engine_stub.store(stub, std::memory_order_relaxed);
}

std::unique_ptr<AnomalyMetadata> Engine::make_anomaly_metadata() {
  return std::make_unique<AnomalyMetadata>();
}
std::unique_ptr<SavedVariableHooks> Engine::get_default_saved_variable_hooks() {
  return nullptr;
}
void Engine::thread_init(c10::function_ref<void()> main) {
  main();
}

void Engine::thread_on_exception(GraphTask&, const c10::intrusive_ptr<Node>& fn, std::exception&) {
  if (fn && AnomalyMode::is_enabled()) {
    fn->metadata()->print_stack(fn->name());
  }
}

// ---- a pass

variable_list Engine::execute(
    const edge_list& roots, const variable_list& inputs, bool keep_graph, bool create_graph,
    bool accumulate_grad, const edge_list& outputs) {
  variable_list grads = inputs;
  validate_outputs(roots, grads, nullptr);
  if (accumulate_grad && create_graph) {
    TORCH_WARN_ONCE(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using "
        "autograd.grad when creating the graph to avoid this. If you have to use this function, "
        "make sure to reset the .grad fields of your parameters to None after use to break the "
        "cycle and avoid the leak.");
  }
  const auto task = std::make_shared<GraphTask>(keep_graph, create_graph, get_current_graph_task());
  c10::intrusive_ptr<Node> root;
  if (roots.size() == 1) {
    root = roots[0].function;
  } else {
    root = c10::make_intrusive<GraphRoot>(roots, grads);
  }
  const uint64_t least = min_topological_nr(outputs);
  task->compute_dependencies(root.get(), least);
  if (!outputs.empty()) {
    task->init_to_execute(outputs, accumulate_grad);
  }
  if (task->shared_) {
    find_streams(*task);
  }
  if (roots.size() == 1) {
    NodeState& state = task->states_[0];
    state.inputs.buffer = task->take_buffer(root->num_inputs());
    add_gradient(*task, state, roots[0].input_nr, std::move(grads[0]));
  }
  run(task);
  return std::move(task->captured_vars_);
}

void Engine::run(const std::shared_ptr<GraphTask>& task) {
  if (task->shared_) {
    task->owner_queue_ = threads_->queue_of_this_thread();
  }
  if (nesting >= MAX_DEPTH) {
    threads_->run_on_another_thread(*this, task);
  } else {
    run_owned(*task);
  }
}

void Engine::run_owned(GraphTask& task) {
  const Nested one_more;
  const GraphTaskGuard task_guard(&task);
  const c10::AutoGradMode grad_mode(task.create_graph_);
  task.set_owner();
  schedule(task, 0);
  for (;;) {
    uint32_t index = 0;
    while (!task.has_error_.load(std::memory_order_relaxed) && task.pop_ready(index)) {
      NodeState& state = task.states_[index];
      run_node(task, state.node, std::move(state.inputs.buffer));
      if (task.shared_) {
        threads_->finish_one(task);
      }
    }
    if (!task.shared_ || task.has_error_ || task.outstanding_tasks_ == 0) {
      break;
    }
    // For this pass, or for another pass that waits for this thread.
    threads_->run_next(*this, *task.owner_queue_);
  }
  if (task.has_error_) {
    const std::lock_guard lock(task.mutex_);
    std::rethrow_exception(task.exception_);
  }
  if (task.several_streams_) {
    join_streams(task);
  }
  run_callbacks(task);
}

void Engine::run_callbacks(GraphTask& task) {
  // A callback may queue another callback.
  for (size_t i = 0;; ++i) {
    std::unique_lock lock(task.final_callbacks_lock_);
    if (i == task.final_callbacks_.size()) {
      return;
    }
    const std::function<void()> callback = std::move(task.final_callbacks_[i]);
    lock.unlock();
    callback();
  }
}

void Engine::queue_callback(std::function<void()> callback) {
  GraphTask* task = get_current_graph_task();
  TORCH_CHECK(task, "Final callbacks can only be installed during backward pass.");
  const std::lock_guard lock(task->final_callbacks_lock_);
  task->final_callbacks_.push_back(std::move(callback));
}

bool Engine::is_checkpoint_valid() const {
  const GraphTask* task = get_current_graph_task();
  return !task || task->can_checkpoint();
}

// ---- a node

// Errors are stored in the task, for the thread that called backward.
void Engine::run_node(GraphTask& task, Node* fn, variable_list&& inputs) {
  const NodeGuard node_guard(fn);
  try {
    evaluate_function(task, fn, std::move(inputs));
  } catch (std::exception& error) {
    thread_on_exception(task, fn->getptr(), error);
    task.fail(std::current_exception());
  }
}

void Engine::evaluate_function(GraphTask& task, Node* fn, variable_list&& inputs) {
  if (task.selective_) {
    const NodeState& state = task.states_[task.states_.at(fn)];
    if (!state.needed) {
      inputs = call_tensor_pre_hooks(*fn, std::move(inputs));
    }
    if (!state.captures.empty()) {
      task.capture(state, inputs);
    }
    if (!state.needed) {
      return;
    }
  }
  const ObservedNode observed(*fn, "autograd::engine::evaluate_function: ");
  variable_list outputs = call_function(task, *fn, inputs);
  if (!task.keep_graph_) {
    fn->release_variables();
  }
  if (C10_UNLIKELY(AnomalyMode::is_enabled()) && AnomalyMode::should_check_nan()) {
    check_nan(*fn, outputs);
  }
  if (task.shared_) {
    const std::lock_guard lock(task.mutex_);
    deliver(task, *fn, outputs);
  } else {
    task.give_buffer(std::move(inputs));
    deliver(task, *fn, outputs);
    task.give_buffer(std::move(outputs));
  }
}

void Engine::deliver(GraphTask& task, const Node& fn, variable_list& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Edge& next = fn.next_edge(i);
    if (!next.is_valid()) {
      continue;
    }
    const uint32_t index = task.states_.at(next.function.get());
    NodeState& state = task.states_[index];
    if (task.selective_ && !state.should_execute()) {
      continue;
    }
    if (state.inputs.buffer.empty()) {
      state.inputs.buffer = task.take_buffer(next.function->num_inputs());
    }
    add_gradient(task, state, next.input_nr, std::move(outputs[i]));
    if (--state.dependencies == 0) {
      schedule(task, index);
    }
  }
}

void Engine::schedule(GraphTask& task, uint32_t index) {
  if (!task.shared_) {
    task.push_ready(index);
    return;
  }
  task.outstanding_tasks_.fetch_add(1);
  Node* node = task.states_[index].node;
  const std::shared_ptr<ReadyQueue> queue =
      threads_->queue_for(*this, node->device(), task.owner_queue_);
  if (task.is_owner() && queue == task.owner_queue_) {
    task.push_ready(index);
  } else {
    queue->push(
        {task.weak_from_this(), node->getptr(), std::move(task.states_[index].inputs.buffer)},
        task.depth_);
  }
}

} // namespace torch::autograd
