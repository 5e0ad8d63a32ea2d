#include <torch/csrc/autograd/engine_streams.h>

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <ATen/ops/add.h>
#include <c10/core/Event.h>

#include <algorithm>
#include <atomic>

namespace torch::autograd {

namespace {

std::atomic<bool> warn_on_mismatch{true};

const c10::impl::DeviceGuardImplInterface& devices_of(const c10::Stream& stream) {
  return *c10::impl::getDeviceGuardImpl(stream.device_type());
}

bool has_streams(c10::DeviceType type) {
  return !should_run_in_cpu_ready_queue(type) && c10::impl::hasDeviceGuardImpl(type);
}
bool has_streams(const Variable& tensor) {
  return tensor.defined() && has_streams(tensor.device().type());
}

// The stream that a node runs on; nullopt for nodes of the host.
std::optional<c10::Stream> own_stream(const Node& node) {
  const auto stream = node.stream();
  return stream && has_streams(stream->device_type()) ? stream : std::nullopt;
}

// The caller's stream on a device, null if no node of the pass is on a device of that type.
const c10::Stream* callers_stream(const GraphTask& task, at::Device device) {
  const auto found = std::find_if(
      task.streams_.begin(), task.streams_.end(),
      [device](const c10::Stream& stream) { return stream.device() == device; });
  return found == task.streams_.end() ? nullptr : &*found;
}

// The stream on which a node uses tensors of a device.
c10::Stream stream_of(const GraphTask& task, const Node& node, at::Device device) {
  const auto own = own_stream(node);
  if (own && own->device() == device) {
    return *own;
  }
  const c10::Stream* callers = callers_stream(task, device);
  return callers ? *callers : c10::impl::getDeviceGuardImpl(device.type())->getStream(device);
}

// Work that `later` gets from now on waits for the work that `earlier` has.
void order(const c10::Stream& earlier, const c10::Stream& later) {
  c10::Event event(earlier.device_type());
  event.record(earlier);
  event.block(later);
}

// Keeps the memory until the work that the stream will have when it is freed is done.
void keep_for(const c10::Stream& stream, const Variable& tensor) {
  if (tensor.has_storage()) {
    devices_of(stream).recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
  }
}

void warn_of_mismatch(const Node& leaf, const c10::Stream& producer, const c10::Stream& consumer) {
  if (!warns_on_accumulate_grad_stream_mismatch() || producer.device() != consumer.device() ||
      dynamic_cast<const AccumulateGrad*>(&leaf) == nullptr) {
    return;
  }
  TORCH_WARN_ONCE(
      "The AccumulateGrad node's stream does not match the stream of the node that produced the "
      "incoming gradient: it was made under another stream and has been kept alive since, by a "
      "graph or by DistributedDataParallel. The streams are synchronized, which costs time and "
      "breaks the capture of a CUDA graph if the node's stream is the default one. Delete the "
      "references to the graph, or call "
      "torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False) if it is intended.");
}

bool runs(const GraphTask& task, const NodeState& state) {
  return !task.selective_ || state.should_execute();
}

bool is_leaf(const Node& node) {
  const edge_list& edges = node.next_edges();
  return std::none_of(edges.begin(), edges.end(), [](const Edge& edge) { return edge.is_valid(); });
}

} // namespace

bool warns_on_accumulate_grad_stream_mismatch() {
  return warn_on_mismatch.load(std::memory_order_relaxed);
}
void set_warn_on_accumulate_grad_stream_mismatch(bool enabled) {
  warn_on_mismatch.store(enabled, std::memory_order_relaxed);
}

void find_streams(GraphTask& task) {
  for (uint32_t i = 0; i < task.states_.size(); ++i) {
    const auto stream = own_stream(*task.states_[i].node);
    if (!stream) {
      continue;
    }
    if (!callers_stream(task, stream->device())) {
      const auto& devices = devices_of(*stream);
      for (c10::DeviceIndex index = 0; index < devices.deviceCount(); ++index) {
        task.streams_.push_back(devices.getStream({stream->device_type(), index}));
      }
    }
    task.several_streams_ =
        task.several_streams_ || *stream != *callers_stream(task, stream->device());
  }
}

StreamsGuard::StreamsGuard(const GraphTask& task, const Node* node) {
  previous_.reserve(task.streams_.size() + 1);
  for (const c10::Stream& stream : task.streams_) {
    make_current(stream);
  }
  if (node && task.several_streams_) {
    if (const auto own = own_stream(*node)) {
      make_current(*own);
    }
  }
}

void StreamsGuard::make_current(const c10::Stream& stream) {
  previous_.push_back(devices_of(stream).exchangeStream(stream));
}

StreamsGuard::~StreamsGuard() {
  // The stream that was current first is restored last.
  for (auto stream = previous_.rbegin(); stream != previous_.rend(); ++stream) {
    devices_of(*stream).exchangeStream(*stream);
  }
}

void add_across_streams(GraphTask& task, NodeState& to, uint32_t input_nr, Variable&& grad) {
  if (!has_streams(grad)) {
    to.inputs.add(input_nr, std::move(grad));
    return;
  }
  const c10::Stream consumer = stream_of(task, *to.node, grad.device());
  const c10::Stream producer = devices_of(consumer).getStream(grad.device());
  if (producer != consumer) {
    warn_of_mismatch(*to.node, producer, consumer);
    order(producer, consumer);
    keep_for(consumer, grad);
  }
  const c10::StreamGuard on_consumer(consumer);
  Variable& sum = to.inputs.buffer[input_nr];
  // Not in place: another stream may still read what nobody references any more.
  sum = sum.defined() ? at::add(sum, grad) : std::move(grad);
}

void join_streams(const GraphTask& task) {
  std::vector<c10::Stream> joined;
  const auto join = [&](const Node& node, const Variable& grad) {
    const auto own = own_stream(node);
    const c10::Stream* caller = own ? callers_stream(task, own->device()) : nullptr;
    if (!caller || *own == *caller) {
      return;
    }
    if (std::find(joined.begin(), joined.end(), *own) == joined.end()) {
      order(*own, *caller);
      joined.push_back(*own);
    }
    if (has_streams(grad) && grad.device() == caller->device()) {
      keep_for(*caller, grad);
    }
  };
  for (uint32_t i = 0; i < task.states_.size(); ++i) {
    const NodeState& state = task.states_[i];
    if (!runs(task, state)) {
      continue;
    }
    for (const NodeState::Capture& capture : state.captures) {
      join(*state.node, task.captured_vars_[capture.output]);
    }
    if (is_leaf(*state.node)) {
      const auto* leaf = dynamic_cast<const AccumulateGrad*>(state.node);
      join(*state.node, leaf ? leaf->variable.grad() : Variable());
    }
  }
}

} // namespace torch::autograd
