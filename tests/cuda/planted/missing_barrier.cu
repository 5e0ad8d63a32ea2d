// Mistake: threads read what others of their block write, with no barrier in between.

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAShared.h>

__global__ void reverse(int* data) {
  C10_SHARED(int, tile, 128);
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  void* data = c10::cuda::CUDACachingAllocator::raw_alloc(128 * sizeof(int));
  C10_CUDA_CHECK(cudaMemset(data, 0, 128 * sizeof(int)));
  C10_CUDA_CHECK(at::cuda::launch(reverse, 1, 128, 0, nullptr, static_cast<int*>(data)));
  c10::cuda::device_synchronize();
}
