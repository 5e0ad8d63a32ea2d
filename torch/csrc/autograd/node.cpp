#include <torch/csrc/autograd/node.h>

#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <cxxabi.h>
#include <cstdlib>
#include <typeinfo>

namespace torch::autograd {

namespace {

constinit thread_local uint64_t next_number C10_FAST_TLS = 0;
constinit thread_local Node* evaluating C10_FAST_TLS = nullptr;

// Destroying a node destroys the nodes that only it references, and so on; in a long graph that
// would overflow the stack. Beyond some depth, nodes are queued for the outermost destructor.
constexpr int kMaxDepth = 64;
constinit thread_local int depth C10_FAST_TLS = 0;
thread_local std::vector<c10::intrusive_ptr<Node>> waiting;

C10_NOINLINE void release_later(edge_list& edges) {
  for (Edge& edge : edges) {
    waiting.push_back(std::move(edge.function));
  }
  edges.clear();
}

C10_NOINLINE void release_waiting() {
  while (!waiting.empty()) {
    const c10::intrusive_ptr<Node> node = std::move(waiting.back());
    waiting.pop_back();
  }
}

// Whether nodes are queued, readable without touching the vector, which is slower to access.
constinit thread_local bool some_wait C10_FAST_TLS = false;

void release_edges(edge_list& edges) {
  if (depth == kMaxDepth) {
    some_wait = true;
    release_later(edges);
    return;
  }
  ++depth;
  edges.clear();
  if (C10_UNLIKELY(depth == 1 && some_wait)) {
    some_wait = false;
    release_waiting();
  }
  --depth;
}

} // namespace

uint64_t Node::next_sequence_nr() {
  return next_number++;
}
uint64_t peek_sequence_nr() {
  return next_number;
}

Node::Node(uint64_t sequence_nr, edge_list&& next_edges) : Node(sequence_nr) {
  set_next_edges(std::move(next_edges));
}

Node::~Node() {
  release_edges(next_edges_);
}

void Node::release_resources() {
  pyobj_slot_.release();
  release_variables();
  extras_.reset();
  release_edges(next_edges_);
}

std::string Node::name() const {
  int status = 0;
  char* readable = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? readable : typeid(*this).name();
  std::free(readable);
  return name;
}

std::string Node::forward_op_name() const {
  constexpr std::string_view kBackward = "Backward";
  std::string own = name();
  const size_t place = own.rfind(kBackward);
  if (place != std::string::npos && !own.starts_with("torch::")) {
    const bool first = own.ends_with("Backward0");
    own.erase(place, kBackward.size() + (first ? 1 : 0));
  }
  return own;
}

at::Device Node::device() const {
  for (const InputMetadata& metadata : input_metadata_) {
    if (metadata.device().type() != c10::default_device_type) {
      return metadata.device();
    }
  }
  return at::Device(c10::default_device_type);
}

std::optional<c10::Stream> Node::stream() const {
  for (const InputMetadata& metadata : input_metadata_) {
    if (const auto stream = metadata.stream()) {
      return stream;
    }
  }
  return std::nullopt;
}

// ---- edges

void Node::set_next_edges(edge_list&& next_edges) {
  next_edges_ = std::move(next_edges);
  for (const Edge& edge : next_edges_) {
    update_topological_nr(edge);
  }
}

void Node::set_next_edge(size_t index, Edge edge) {
  update_topological_nr(edge);
  next_edges_[index] = std::move(edge);
}

void Node::add_next_edge(Edge edge) {
  update_topological_nr(edge);
  next_edges_.push_back(std::move(edge));
}

bool Node::should_compute_output(std::initializer_list<IndexRange> ranges) const {
  for (const auto& [begin, end] : ranges) {
    for (size_t i = begin; i < end; ++i) {
      if (should_compute_output(i)) {
        return true;
      }
    }
  }
  return false;
}

bool Node::task_should_compute_output(std::initializer_list<IndexRange> ranges) const {
  for (const auto& [begin, end] : ranges) {
    for (size_t i = begin; i < end; ++i) {
      if (task_should_compute_output(i)) {
        return true;
      }
    }
  }
  return false;
}

bool Node::needed_by_task(size_t index) const {
  return current_graph_task_executes(next_edges_[index].function.get());
}

// ---- hooks

NodeExtras& Node::extras() {
  if (!extras_) {
    extras_ = std::make_unique<NodeExtras>();
  }
  return *extras_;
}

void Node::add_pre_hook(std::unique_ptr<FunctionPreHook> hook) {
  extras().pre_hooks.push_back(std::move(hook));
}
void Node::add_tensor_pre_hook(std::unique_ptr<FunctionPreHook> hook) {
  extras().tensor_pre_hooks.push_back(std::move(hook));
}

void Node::add_retains_grad_hook(std::unique_ptr<FunctionPreHook> hook, size_t output_idx) {
  extras().retains_grad_hooks.emplace_back(output_idx, std::move(hook));
}

std::unique_ptr<FunctionPreHook> Node::pop_retains_grad_hook(size_t output_idx) {
  auto& hooks = extras().retains_grad_hooks;
  const auto place = std::find_if(
      hooks.begin(), hooks.end(), [&](const auto& hook) { return hook.first == output_idx; });
  if (place == hooks.end()) {
    return nullptr;
  }
  std::unique_ptr<FunctionPreHook> hook = std::move(place->second);
  hooks.erase(place);
  return hook;
}

uintptr_t Node::add_post_hook(std::unique_ptr<FunctionPostHook> hook) {
  auto& hooks = extras().post_hooks;
  hooks.push_back(std::move(hook));
  return reinterpret_cast<uintptr_t>(hooks.back().get());
}

bool Node::del_post_hook(uintptr_t key) {
  return std::erase_if(extras().post_hooks, [key](const auto& hook) {
           return reinterpret_cast<uintptr_t>(hook.get()) == key;
         }) != 0;
}

// ---- anomaly mode

AnomalyMetadata* Node::metadata() {
  auto& metadata = extras().anomaly_metadata;
  if (!metadata) {
    metadata = Engine::get_default_engine().make_anomaly_metadata();
  }
  return metadata.get();
}

void Node::record_creation_site() {
  metadata()->store_stack();
  assign_parent();
}

void Node::assign_parent() {
  metadata()->assign_parent(get_current_node());
}

// ---- the current node

c10::intrusive_ptr<Node> get_current_node() {
  return c10::intrusive_ptr<Node>::reclaim_copy(evaluating);
}

NodeGuard::NodeGuard(Node* node) : previous_(std::exchange(evaluating, node)) {}
NodeGuard::~NodeGuard() {
  evaluating = previous_;
}

} // namespace torch::autograd
