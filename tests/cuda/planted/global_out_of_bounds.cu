// Mistake: the grid is rounded up to whole blocks, and the kernel does not look at the length.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>

__global__ void square(float* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * data[i];
}

int main() {
  void* data = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&data, 1024 * sizeof(float)));
  C10_CUDA_CHECK(at::cuda::launch(square, 9, 120, 0, nullptr, static_cast<float*>(data)));
  c10::cuda::device_synchronize();
}
