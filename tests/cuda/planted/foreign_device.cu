// Mistake: the kernel runs on one device and uses memory of another, without peer access.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>

__global__ void increment(int* data) {
  ++data[threadIdx.x];
}

int main() {
  void* data = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  C10_CUDA_CHECK(cudaSetDevice(1));
  C10_CUDA_CHECK(at::cuda::launch(increment, 1, 64, 0, nullptr, static_cast<int*>(data)));
  c10::cuda::device_synchronize();
}
