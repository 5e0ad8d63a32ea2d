// Mistake: the two branches have barriers of their own, and the threads of a block take both.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>

__global__ void halves(int* data) {
  if (threadIdx.x < 32) {
    data[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    data[threadIdx.x] = 2;
  }
}

int main() {
  void* data = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  C10_CUDA_CHECK(at::cuda::launch(halves, 1, 64, 0, nullptr, static_cast<int*>(data)));
  c10::cuda::device_synchronize();
}
