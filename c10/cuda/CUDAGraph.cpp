#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include <atomic>
#include <utility>

namespace c10::cuda {

namespace {

// Pools of one graph have numbers of their own, so that neither kind meets the other.
MempoolId_t new_private_pool() {
  static std::atomic<uint64_t> next{1};
  return {next++, 0};
}

} // namespace

MempoolId_t graph_pool_handle() {
  return CUDACachingAllocator::new_pool_id();
}

CUDAGraph::~CUDAGraph() {
  if (stream_) {
    TORCH_WARN("A CUDA graph was destroyed during its capture, which ends here.");
    cudaGraph_t graph = nullptr;
    static_cast<void>(C10_CUDA_ERROR_HANDLED(cudaStreamEndCapture(stream_->stream(), &graph)));
    C10_CUDA_CLEAR_ERROR();
    if (graph != nullptr) C10_CUDA_CHECK_WARN(cudaGraphDestroy(graph));
    end_allocations();
  }
  reset();
}

void CUDAGraph::capture_begin(MempoolId_t pool, cudaStreamCaptureMode mode) {
  TORCH_CHECK(
      executable_ == nullptr && graph_ == nullptr && !stream_,
      "This CUDAGraph already holds a graph; call reset() before capturing another.");
  const CUDAStream stream = getCurrentCUDAStream();
  TORCH_CHECK(
      stream != getDefaultCUDAStream(),
      "CUDA graphs must be captured on a stream other than the default one; make one current with "
      "CUDAStreamGuard.");
  C10_CUDA_CHECK(cudaStreamBeginCapture(stream.stream(), mode));
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream.stream(), &status, &id));

  stream_ = stream;
  device_ = stream.device_index();
  pool_ = pool == MempoolId_t{0, 0} ? new_private_pool() : pool;
  CUDACachingAllocator::beginAllocateToPool(device_, pool_, [id](cudaStream_t other) {
    cudaStreamCaptureStatus other_status{};
    unsigned long long other_id = 0;
    C10_CUDA_CHECK(cudaStreamGetCaptureInfo(other, &other_status, &other_id));
    return other_status == cudaStreamCaptureStatusActive && other_id == id;
  });
  uses_pool_ = true;
}

void CUDAGraph::end_allocations() {
  CUDACachingAllocator::endAllocateToPool(device_, pool_);
  stream_.reset();
}

void CUDAGraph::capture_end() {
  TORCH_CHECK(stream_.has_value(), "capture_end() without capture_begin()");
  TORCH_CHECK(
      getCurrentCUDAStream() == *stream_,
      "The capture must end on the stream that it began on, which has to be current.");
  const cudaError_t error =
      C10_CUDA_ERROR_HANDLED(cudaStreamEndCapture(stream_->stream(), &graph_));
  end_allocations();
  C10_CUDA_CHECK(error);
  if (keep_graph_) return;
  const cudaError_t made = C10_CUDA_ERROR_HANDLED(cudaGraphInstantiate(&executable_, graph_, 0));
  if (!debug_ || made != cudaSuccess) destroy_graph();
  C10_CUDA_CHECK(made);
}

void CUDAGraph::destroy_graph() {
  if (graph_ != nullptr) C10_CUDA_CHECK_WARN(cudaGraphDestroy(std::exchange(graph_, nullptr)));
}

void CUDAGraph::instantiate() {
  TORCH_CHECK(
      keep_graph_,
      "instantiate() is for graphs with keep_graph=True; capture_end() has made the "
      "executable of this one.");
  TORCH_CHECK(graph_ != nullptr, "instantiate() without a captured graph");
  if (executable_ != nullptr) {
    C10_CUDA_CHECK(cudaGraphExecDestroy(std::exchange(executable_, nullptr)));
  }
  C10_CUDA_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
}

void CUDAGraph::replay() {
  if (keep_graph_ && executable_ == nullptr && graph_ != nullptr) instantiate();
  TORCH_CHECK(executable_ != nullptr, "replay() without a captured graph");
  const CUDAGuard guard(device_);
  C10_CUDA_CHECK(cudaGraphLaunch(executable_, getCurrentCUDAStream().stream()));
}

void CUDAGraph::reset() {
  if (executable_ != nullptr) {
    C10_CUDA_CHECK_WARN(cudaGraphExecDestroy(std::exchange(executable_, nullptr)));
  }
  destroy_graph();
  if (std::exchange(uses_pool_, false)) CUDACachingAllocator::releasePool(device_, pool_);
}

cudaGraph_t CUDAGraph::raw_cuda_graph() const {
  TORCH_CHECK(keep_graph_, "raw_cuda_graph() is for graphs with keep_graph=True.");
  TORCH_CHECK(graph_ != nullptr, "raw_cuda_graph() without a captured graph");
  return graph_;
}

cudaGraphExec_t CUDAGraph::raw_cuda_graph_exec() const {
  TORCH_CHECK(executable_ != nullptr, "raw_cuda_graph_exec() without an instantiated graph");
  return executable_;
}

void CUDAGraph::debug_dump(const std::string& path) {
  TORCH_CHECK(
      debug_ || keep_graph_,
      "debug_dump() needs enable_debug_mode() before the capture, or keep_graph=True.");
  TORCH_CHECK(graph_ != nullptr, "debug_dump() without a captured graph");
  C10_CUDA_CHECK(cudaGraphDebugDotPrint(graph_, path.c_str(), cudaGraphDebugDotFlagsVerbose));
  if (!keep_graph_) destroy_graph();
}

MempoolId_t CUDAGraph::pool() const {
  TORCH_CHECK(uses_pool_, "pool() of a CUDAGraph that was never captured");
  return pool_;
}

} // namespace c10::cuda
