#include <ATen/cuda/CUDABlas.h>
#include <ATen/cuda/CUDABlasHandle.h>

#include <ATen/cuda/HandlePool.h>
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace at::cuda {
namespace {

// The size that cuBLAS recommends: 32 MiB since Hopper, 4 MiB before it. Every stream of every
// thread has one, so a small device (the emulated one) gets less.
size_t recommended_workspace() {
  const cudaDeviceProp& properties = c10::cuda::device_properties();
  return std::min(
      static_cast<size_t>(properties.major >= 9 ? 32 : 4) << 20, properties.totalGlobalMem / 128);
}

// CUBLAS_WORKSPACE_CONFIG: pairs of a size in KiB and a number of buffers, ":4096:2:16:8". Without
// it, or with anything else in it, the recommended size.
size_t workspace_bytes() {
  const char* text = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  size_t total = 0;
  while (text != nullptr && *text == ':') {
    char* end = nullptr;
    const unsigned long kibibytes = std::strtoul(text + 1, &end, 10);
    if (*end != ':') return recommended_workspace();
    const unsigned long buffers = std::strtoul(end + 1, &end, 10);
    total += size_t{kibibytes} * 1024 * buffers;
    text = end;
  }
  return total > 0 ? total : recommended_workspace();
}

cublasHandle_t create_handle() {
  cublasHandle_t handle = nullptr;
  TORCH_CUDABLAS_CHECK(cublasCreate(&handle));
  return handle;
}

std::atomic<size_t>& chosen_workspace_size() {
  static std::atomic<size_t> bytes = workspace_bytes();
  return bytes;
}

struct Workspace {
  c10::DataPtr memory;
  size_t bytes = 0;
};

// The workspace of a handle in the current stream, which is allocated once for each size.
void* workspace(cublasHandle_t handle, cudaStream_t stream, size_t bytes) {
  static std::mutex mutex;
  static auto* const workspaces = new std::map<std::pair<cublasHandle_t, cudaStream_t>, Workspace>;
  const std::lock_guard<std::mutex> lock(mutex);
  Workspace& own = (*workspaces)[{handle, stream}];
  if (own.bytes != bytes) {
    own.memory.clear();
    own = {c10::cuda::CUDACachingAllocator::get()->allocate(bytes), bytes};
  }
  return own.memory.get();
}

} // namespace

cublasHandle_t getCurrentCUDABlasHandle() {
  const cublasHandle_t handle =
      HandlePool<cublasHandle_t, create_handle>::mine(c10::cuda::current_device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  TORCH_CUDABLAS_CHECK(cublasSetStream(handle, stream)); // forgets the workspace
  const size_t bytes = blas::workspace_size();
  TORCH_CUDABLAS_CHECK(cublasSetWorkspace(handle, workspace(handle, stream, bytes), bytes));
  return handle;
}

namespace blas {

size_t workspace_size() {
  return chosen_workspace_size();
}
void set_workspace_size(size_t bytes) {
  chosen_workspace_size() = bytes;
}

} // namespace blas
} // namespace at::cuda
