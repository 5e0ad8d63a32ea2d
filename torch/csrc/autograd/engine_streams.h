#pragma once

#include <torch/csrc/autograd/graph_task.h>

#include <c10/core/StreamGuard.h>

#include <optional>
#include <vector>

namespace torch::autograd {

// The streams of a backward pass. A node runs on the stream that its operator ran on. If another
// node, or the caller of backward, computed one of its gradients on another stream, the node's
// stream waits for that, and the gradient's memory is kept until both are done. At the end, the
// caller's streams wait for those of the leaves. A pass that has only the caller's streams needs
// none of this, and GraphTask::several_streams_ is false.

// Device types whose work is done when a call returns need no thread of their own: their nodes run
// where the pass was started.
inline bool should_run_in_cpu_ready_queue(c10::DeviceType type) {
  return type == c10::DeviceType::CPU || type == c10::DeviceType::Meta;
}

// Stores the calling thread's streams in the task, and whether its nodes have others.
void find_streams(GraphTask& task);

// Makes the streams of a pass current on a thread of the engine: the caller's on each device, and
// the node's own.
class StreamsGuard {
 public:
  // Without a node, only the caller's.
  explicit StreamsGuard(const GraphTask& task, const Node* node = nullptr);
  ~StreamsGuard();
  C10_DISABLE_COPY_AND_ASSIGN(StreamsGuard);

 private:
  void make_current(const c10::Stream& stream);

  std::vector<c10::Stream> previous_;
};

// Adds a gradient, which was computed on this thread's current streams, to an input of a node,
// whose stream waits for it. For passes with several streams.
void add_across_streams(GraphTask& task, NodeState& to, uint32_t input_nr, Variable&& grad);

// Makes the caller's streams wait for the leaves and for the gradients that the caller gets.
void join_streams(const GraphTask& task);

// Whether a leaf's gradient that comes from another stream than the leaf's node has causes a
// warning. True at first.
TORCH_API bool warns_on_accumulate_grad_stream_mismatch();
TORCH_API void set_warn_on_accumulate_grad_stream_mismatch(bool enabled);

} // namespace torch::autograd
