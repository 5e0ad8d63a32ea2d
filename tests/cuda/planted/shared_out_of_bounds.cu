// Mistake: the last thread writes one element past the end of a shared array.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAShared.h>

__global__ void shift(float* data) {
  C10_SHARED(float, line, 64);
  line[threadIdx.x + 1] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = line[threadIdx.x];
}

int main() {
  void* data = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&data, 64 * sizeof(float)));
  C10_CUDA_CHECK(at::cuda::launch(shift, 3, 64, 0, nullptr, static_cast<float*>(data)));
  c10::cuda::device_synchronize();
}
