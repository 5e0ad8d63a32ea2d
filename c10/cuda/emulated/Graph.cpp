#include <c10/cuda/emulated/Graph.h>

#include <algorithm>
#include <utility>

namespace cuda_emulation {

void begin_capture(const std::shared_ptr<Queue>& queue, cudaStreamCaptureMode mode) {
  auto capture = std::make_shared<Capture>();
  capture->origin = queue;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  static uint64_t captures = 0; // under the runtime's lock
  capture->id = ++captures;
  join_capture(queue, capture, {});
}

void join_capture(
    const std::shared_ptr<Queue>& queue, const std::shared_ptr<Capture>& capture,
    const std::vector<size_t>& after) {
  if (queue->capture == nullptr) {
    queue->capture = capture;
    queue->tail.clear();
    capture->queues.push_back(queue);
  }
  queue->tail.insert(queue->tail.end(), after.begin(), after.end());
}

void capture_operation(Queue& queue, Operation operation) {
  auto& nodes = queue.capture->graph->nodes;
  nodes.push_back({std::move(operation), std::exchange(queue.tail, {})});
  queue.tail = {nodes.size() - 1};
}

cudaError_t end_capture(Capture& capture, std::shared_ptr<Graph>& graph) {
  const auto& nodes = capture.graph->nodes;
  // All work of the streams that joined must come before the end of the first one.
  std::vector<bool> joined(nodes.size());
  std::vector<size_t> open = capture.origin->tail;
  while (!open.empty()) {
    const size_t node = open.back();
    open.pop_back();
    if (joined[node]) continue;
    joined[node] = true;
    open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  for (const auto& queue : capture.queues) {
    queue->capture = nullptr;
    queue->tail.clear();
  }
  capture.queues.clear();
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  if (std::find(joined.begin(), joined.end(), false) != joined.end()) {
    return cudaErrorStreamCaptureUnjoined;
  }
  graph = capture.graph;
  return cudaSuccess;
}

cudaError_t run_graph(const Graph& graph, Random& random) {
  std::vector<bool> done(graph.nodes.size());
  for (size_t finished = 0; finished < graph.nodes.size(); ++finished) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto& after = graph.nodes[i].after;
      if (!done[i] && std::all_of(after.begin(), after.end(), [&](size_t j) { return done[j]; })) {
        ready.push_back(i);
      }
    }
    const size_t node = ready[random.below(ready.size())];
    const cudaError_t error = graph.nodes[node].operation.run();
    if (error != cudaSuccess) return error;
    done[node] = true;
  }
  return cudaSuccess;
}

} // namespace cuda_emulation
