#include <c10/cuda/test/kernels.h>

#include <c10/cuda/CUDADeviceAssert.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAShared.h>

namespace c10::cuda::test {

namespace {

constexpr int kBlock = 256;
constexpr unsigned kAllLanes = 0xffffffffu;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

template <bool barriers>
__global__ void block_sum(const float* in, float* out) {
  C10_SHARED(float, partial, kBlock);
  const unsigned i = threadIdx.x;
  partial[i] = in[blockIdx.x * kBlock + i];
  if (barriers) __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (i < half) partial[i] += partial[i + half];
    if (barriers) __syncthreads();
  }
  if (i == 0) out[blockIdx.x] = partial[0];
}

__global__ void warp_sum(int n, const int* in, int* out) {
  C10_DYNAMIC_SHARED(int, warps);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int value = i < n ? in[i] : 0;
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(kAllLanes, value, offset);
  }
  if (threadIdx.x % warpSize == 0) warps[threadIdx.x / warpSize] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned warp = 0; warp < blockDim.x / warpSize; ++warp) {
      sum += warps[warp];
    }
    atomicAdd(out, sum);
  }
}

__global__ void coordinates(int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[i] = static_cast<int>(i);
}

template <bool marked>
__global__ void compact(int n, const int* in, int* out, int* count) {
  if (marked) C10_ORDER_DEPENDENT();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && in[i] % 2 == 0) out[atomicAdd(count, 1)] = in[i];
}

__global__ void shared_write(int offset, int* out) {
  C10_SHARED(int, tile, 64);
  tile[static_cast<int>(threadIdx.x) + offset] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void write(int* pointer, ptrdiff_t index, int value) {
  pointer[index] = value;
}

__global__ void check_index(int index, int bound) {
  CUDA_KERNEL_ASSERT(index < bound);
}

__global__ void divergent_barrier() {
  if (threadIdx.x < blockDim.x / 2) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void missing_lane(int* out) {
  if (threadIdx.x == 0) return;
  out[threadIdx.x] = __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x), 0);
}

__global__ void warp_functions(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  int* mine = out + lane * 6;
  mine[0] = static_cast<int>(__ballot_sync(kAllLanes, lane % 3 == 0));
  mine[1] = __any_sync(kAllLanes, lane == 31);
  mine[2] = __all_sync(kAllLanes, lane < 31);
  mine[3] = __shfl_xor_sync(kAllLanes, lane, 5);
  mine[4] = __shfl_up_sync(kAllLanes, lane, 3, 8);
  mine[5] = __shfl_down_sync(kAllLanes, lane, 3, 8);
}

unsigned blocks_for(int n) {
  return static_cast<unsigned>((n + kBlock - 1) / kBlock);
}

} // namespace

using at::cuda::launch;

cudaError_t launch_saxpy(int n, float a, const float* x, float* y, cudaStream_t stream) {
  return launch(saxpy, blocks_for(n), kBlock, 0, stream, n, a, x, y);
}
cudaError_t launch_block_sum(
    int blocks, const float* in, float* out, bool barriers, cudaStream_t stream) {
  const auto kernel = barriers ? block_sum<true> : block_sum<false>;
  return launch(kernel, static_cast<unsigned>(blocks), kBlock, 0, stream, in, out);
}
cudaError_t launch_warp_sum(int n, const int* in, int* out, cudaStream_t stream) {
  const size_t shared = kBlock / 32 * sizeof(int);
  return launch(warp_sum, blocks_for(n), kBlock, shared, stream, n, in, out);
}
cudaError_t launch_coordinates(dim3 grid, dim3 block, int* out, cudaStream_t stream) {
  return launch(coordinates, grid, block, 0, stream, out);
}
cudaError_t launch_compact(
    int n, const int* in, int* out, int* count, bool marked, cudaStream_t stream) {
  const auto kernel = marked ? compact<true> : compact<false>;
  return launch(kernel, blocks_for(n), kBlock, 0, stream, n, in, out, count);
}
cudaError_t launch_shared_write(int offset, int* out, cudaStream_t stream) {
  return launch(shared_write, 1, 64, 0, stream, offset, out);
}
cudaError_t launch_write(int* pointer, ptrdiff_t index, int value, cudaStream_t stream) {
  return launch(write, 1, 1, 0, stream, pointer, index, value);
}
cudaError_t launch_check_index(int index, int bound, cudaStream_t stream) {
  return launch(check_index, 1, 32, 0, stream, index, bound);
}
cudaError_t launch_divergent_barrier(cudaStream_t stream) {
  return launch(divergent_barrier, 1, 64, 0, stream);
}
cudaError_t launch_missing_lane(int* out, cudaStream_t stream) {
  return launch(missing_lane, 1, 32, 0, stream, out);
}
cudaError_t launch_warp_functions(int* out, cudaStream_t stream) {
  return launch(warp_functions, 1, 32, 0, stream, out);
}

} // namespace c10::cuda::test
