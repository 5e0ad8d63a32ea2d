#include <torch/csrc/autograd/graph_task.h>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/engine_threads.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace torch::autograd {

namespace {

constinit thread_local GraphTask* current_task C10_FAST_TLS = nullptr;
// The address of this variable identifies the thread.
constinit thread_local char thread_mark C10_FAST_TLS = 0;
std::atomic<uint64_t> next_task_id{0};

constexpr size_t kMaxSpareBuffers = 16;

} // namespace

// ---- NodeStates

uint32_t NodeStates::find(const Node* node) const {
  if (slots_.empty()) {
    return kNone;
  }
  const size_t mask = slots_.size() - 1;
  for (size_t i = first_slot(node);; i = (i + 1) & mask) {
    if (slots_[i].node == node || slots_[i].node == nullptr) {
      return slots_[i].node ? slots_[i].index : kNone;
    }
  }
}

std::pair<uint32_t, bool> NodeStates::insert(Node* node) {
  reserve(states_.size() + 1);
  const size_t mask = slots_.size() - 1;
  size_t i = first_slot(node);
  while (slots_[i].node != nullptr) {
    if (slots_[i].node == node) {
      return {slots_[i].index, false};
    }
    i = (i + 1) & mask;
  }
  const auto index = static_cast<uint32_t>(states_.size());
  slots_[i] = {node, index};
  states_.emplace_back(node);
  return {index, true};
}

void NodeStates::reserve(size_t count) {
  const size_t slots = std::bit_ceil(std::max<size_t>(16, count) * 2);
  if (slots > slots_.size()) {
    rehash(slots);
  }
}

void NodeStates::rehash(size_t slots) {
  shift_ = 64 - std::countr_zero(slots);
  slots_.assign(slots, Slot{nullptr, 0});
  states_.reserve(slots / 2);
  for (uint32_t index = 0; index < states_.size(); ++index) {
    size_t i = first_slot(states_[index].node);
    while (slots_[i].node != nullptr) {
      i = (i + 1) & (slots - 1);
    }
    slots_[i] = {states_[index].node, index};
  }
}

// ---- GraphTask

GraphTask::GraphTask(bool keep_graph, bool create_graph, const GraphTask* outer)
    : keep_graph_(keep_graph),
      create_graph_(create_graph),
      id_(next_task_id.fetch_add(1, std::memory_order_relaxed)),
      depth_(outer ? outer->depth_ + 1 : 0),
      checkpoint_valid_(!outer || outer->checkpoint_valid_) {
  thread_locals_.set_grad_mode(create_graph);
}

void GraphTask::compute_dependencies(Node* root, uint64_t min_topological_nr) {
  // The topological number is a good estimate of the number of nodes; cap it.
  states_.reserve(std::min<uint64_t>(root->topological_nr() + 1, 4096));
  states_.insert(root);
  // The states also serve as the list of nodes to visit: each node is appended once.
  for (uint32_t next = 0; next < states_.size(); ++next) {
    Node* node = states_[next].node;
    if (node->topological_nr() < min_topological_nr) {
      continue;
    }
    shared_ = shared_ || !should_run_in_cpu_ready_queue(node->device().type());
    for (const Edge& edge : node->next_edges()) {
      if (edge.is_valid()) {
        const uint32_t index = states_.insert(edge.function.get()).first;
        ++states_[index].dependencies;
      }
    }
  }
}

void GraphTask::init_to_execute(const edge_list& outputs, bool accumulate_grad) {
  selective_ = true;
  checkpoint_valid_ = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    NodeState& state = states_[states_.insert(outputs[i].function.get()).first];
    if (accumulate_grad) {
      state.needed = true;
    } else {
      state.captures.push_back({outputs[i].input_nr, i});
    }
  }
  captured_vars_.resize(accumulate_grad ? 0 : outputs.size());

  // A node is needed if one of the nodes it leads to is executed; those come first in this order.
  std::vector<uint32_t> order(states_.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return states_[a].node->topological_nr() < states_[b].node->topological_nr();
  });
  for (const uint32_t index : order) {
    NodeState& state = states_[index];
    for (const Edge& edge : state.node->next_edges()) {
      if (!state.needed && edge.is_valid()) {
        const uint32_t next = states_.find(edge.function.get());
        state.needed = next != NodeStates::kNone && states_[next].should_execute();
      }
    }
  }
}

bool GraphTask::executes(const Node* node) const {
  if (!selective_) {
    return true;
  }
  const uint32_t index = states_.find(node);
  return index != NodeStates::kNone && states_[index].should_execute();
}

void GraphTask::capture(const NodeState& state, const variable_list& grads) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (shared_) {
    lock.lock();
  }
  for (const NodeState::Capture& capture : state.captures) {
    captured_vars_[capture.output] = grads[capture.input_nr];
  }
}

variable_list GraphTask::take_buffer(size_t size) {
  variable_list buffer;
  if (!spare_.empty()) {
    buffer = std::move(spare_.back());
    spare_.pop_back();
  }
  buffer.resize(size);
  return buffer;
}

void GraphTask::give_buffer(variable_list&& buffer) {
  buffer.clear();
  if (buffer.capacity() != 0 && spare_.size() < kMaxSpareBuffers) {
    spare_.push_back(std::move(buffer));
  }
}

void GraphTask::push_ready(uint32_t index) {
  ready_.push_back({states_[index].node->sequence_nr(), index});
  std::push_heap(ready_.begin(), ready_.end());
}

bool GraphTask::pop_ready(uint32_t& index) {
  if (ready_.empty()) {
    return false;
  }
  std::pop_heap(ready_.begin(), ready_.end());
  index = ready_.back().index;
  ready_.pop_back();
  return true;
}

void GraphTask::fail(std::exception_ptr exception) {
  const std::lock_guard lock(mutex_);
  if (!has_error_) {
    exception_ = std::move(exception);
    has_error_ = true; // last, because the owner reads it without the lock
  }
}

bool GraphTask::is_owner() const {
  return owner_ == &thread_mark;
}
void GraphTask::set_owner() {
  owner_ = &thread_mark;
}

// ---- the current task

GraphTask* get_current_graph_task() {
  return current_task;
}
GraphTaskGuard::GraphTaskGuard(GraphTask* task) : previous_(std::exchange(current_task, task)) {}
GraphTaskGuard::~GraphTaskGuard() {
  current_task = previous_;
}

int get_current_graph_task_id() {
  return current_task ? static_cast<int>(current_task->id_) : -1;
}

bool get_current_graph_task_keep_graph() {
  return !current_task || current_task->keep_graph_;
}

bool current_graph_task_executes(const Node* node) {
  return !current_task || current_task->executes(node);
}

std::vector<Node*> get_current_graph_task_execution_order() {
  std::vector<Node*> nodes;
  if (GraphTask* task = current_task) {
    for (uint32_t i = 0; i < task->states_.size(); ++i) {
      const NodeState& state = task->states_[i];
      if (!task->selective_ || state.should_execute()) {
        nodes.push_back(state.node);
      }
    }
    std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) {
      return a->sequence_nr() > b->sequence_nr();
    });
  }
  return nodes;
}

} // namespace torch::autograd
