#pragma once

#include <c10/cuda/emulated/Scheduler.h>

#include <memory>
#include <thread>
#include <vector>

namespace cuda_emulation {

// Operations and what each has to follow, by their positions.
struct Graph {
  struct Node {
    Operation operation;
    std::vector<size_t> after;
  };
  std::vector<Node> nodes;
  // Events outside of the graph that its launches record, and that they wait for.
  std::vector<cudaEvent_t> recorded, awaited;
};

// A graph that is being recorded from a stream, and from those that joined it through events.
struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::shared_ptr<Queue> origin;
  std::vector<std::shared_ptr<Queue>> queues;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  uint64_t id = 0;
  bool invalid = false;
};

void begin_capture(const std::shared_ptr<Queue>& queue, cudaStreamCaptureMode mode);
void join_capture(
    const std::shared_ptr<Queue>& queue, const std::shared_ptr<Capture>& capture,
    const std::vector<size_t>& after);
void capture_operation(Queue& queue, Operation operation);
// Ends the capture; its graph is left out if the capture has become invalid.
cudaError_t end_capture(Capture& capture, std::shared_ptr<Graph>& graph);
// Runs every node after those it follows, in an order drawn from the generator.
cudaError_t run_graph(const Graph& graph, Random& random);

} // namespace cuda_emulation
