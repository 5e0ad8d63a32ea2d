#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/macros/Macros.h>

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

namespace c10::cuda {

// A sequence of kernels and copies that is recorded once and then launched by one call.
//
// Between capture_begin() and capture_end(), what the current stream and those that join it through
// events are given is recorded and not run. A replay uses the addresses of then: memory that is
// allocated during the capture comes from a private pool, which keeps its addresses as long as the
// graph lives. Graphs that never run at the same time can share a pool.
//
// The host's part of the captured code does not run again in a replay. Waiting for the device is an
// error during a capture, and so is a capture of the default stream.
class C10_CUDA_API CUDAGraph {
 public:
  // With keep_graph, what was recorded stays as a cudaGraph_t, which can be changed before
  // instantiate() makes an executable of it. The first replay() does so if nobody did.
  explicit CUDAGraph(bool keep_graph = false) : keep_graph_(keep_graph) {}
  ~CUDAGraph();
  C10_DISABLE_COPY_AND_ASSIGN(CUDAGraph);

  // A pool of another graph, from graph_pool_handle(), or a new one.
  void capture_begin(
      MempoolId_t pool = {0, 0}, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal);
  void capture_end();
  // For kept graphs only, as often as the graph was changed.
  void instantiate();
  // Launches the graph on the current stream.
  void replay();
  // Forgets the graph and gives up its memory.
  void reset();
  MempoolId_t pool() const;

  cudaGraph_t raw_cuda_graph() const; // only if the graph is kept
  cudaGraphExec_t raw_cuda_graph_exec() const;
  // Keeps the graph until debug_dump(), which writes it in Graphviz's format.
  void enable_debug_mode() { debug_ = true; }
  void debug_dump(const std::string& path);

 private:
  void end_allocations();

  void destroy_graph();

  const bool keep_graph_;
  bool debug_ = false;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  MempoolId_t pool_{0, 0};
  std::optional<CUDAStream> stream_; // while it is captured
  DeviceIndex device_ = -1;
  bool uses_pool_ = false;
};

// A pool for several graphs.
C10_CUDA_API MempoolId_t graph_pool_handle();

} // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGraph;
using c10::cuda::graph_pool_handle;
} // namespace at::cuda
