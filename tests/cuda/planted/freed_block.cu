// Mistake: the block is freed before the kernel that uses it is launched.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>

__global__ void increment(int* data) {
  ++data[threadIdx.x];
}

int main() {
  void* data = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  C10_CUDA_CHECK(cudaFree(data));
  C10_CUDA_CHECK(at::cuda::launch(increment, 1, 64, 0, nullptr, static_cast<int*>(data)));
  c10::cuda::device_synchronize();
}
