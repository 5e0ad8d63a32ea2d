#include <ATen/cuda/CUDABlasHandle.h>

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace at::cuda {
namespace {

// The size that cuBLAS recommends: 32 MiB since Hopper, 4 MiB before it.
size_t recommended_workspace() {
  cudaDeviceProp properties;
  C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, c10::cuda::current_device()));
  return static_cast<size_t>(properties.major >= 9 ? 32 : 4) << 20;
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

// A handle may not be used by two threads at once, and creating one takes long and may allocate, so
// those of threads that ended are kept for later threads.
class Pool {
 public:
  static Pool& get() {
    static Pool* const pool = new Pool; // a thread may end after the statics are gone
    return *pool;
  }
  cublasHandle_t take(c10::DeviceIndex device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& free = free_[device];
    cublasHandle_t handle = nullptr;
    if (free.empty()) {
      TORCH_CUDABLAS_CHECK(cublasCreate(&handle));
    } else {
      handle = free.back();
      free.pop_back();
    }
    return handle;
  }
  void give_back(c10::DeviceIndex device, cublasHandle_t handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[device].push_back(handle);
  }
  void* workspace(cublasHandle_t handle, cudaStream_t stream, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    c10::DataPtr& memory = workspaces_[{handle, stream}];
    if (memory.get() == nullptr) {
      memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    }
    return memory.get();
  }

 private:
  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::vector<cublasHandle_t>> free_;
  std::map<std::pair<cublasHandle_t, cudaStream_t>, c10::DataPtr> workspaces_;
};

struct HandlesOfThread {
  std::map<c10::DeviceIndex, cublasHandle_t> handles;
  HandlesOfThread() = default;
  HandlesOfThread(const HandlesOfThread&) = delete;
  HandlesOfThread& operator=(const HandlesOfThread&) = delete;
  ~HandlesOfThread() {
    for (const auto& [device, handle] : handles) {
      Pool::get().give_back(device, handle);
    }
  }
};

} // namespace

cublasHandle_t getCurrentCUDABlasHandle() {
  static thread_local HandlesOfThread mine;
  const c10::DeviceIndex device = c10::cuda::current_device();
  cublasHandle_t& handle = mine.handles[device];
  if (handle == nullptr) handle = Pool::get().take(device);
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  TORCH_CUDABLAS_CHECK(cublasSetStream(handle, stream)); // forgets the workspace
  static const size_t bytes = workspace_bytes();
  TORCH_CUDABLAS_CHECK(
      cublasSetWorkspace(handle, Pool::get().workspace(handle, stream, bytes), bytes));
  return handle;
}

} // namespace at::cuda
