// Mistake: a stream uses memory that was allocated on another one, and nothing records that. The
// memory goes back to the allocator while the kernel is still queued.

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>

namespace cuda = c10::cuda;

__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main(int count, char**) {
  const cuda::CUDAStream side = cuda::getStreamFromPool();
  for (int round = 0; round < 20; ++round) {
    c10::DataPtr data = cuda::CUDACachingAllocator::get()->allocate(size_t{4} << 20);
    cuda::CUDAEvent ready;
    ready.record();
    ready.block(side);
    C10_CUDA_CHECK(
        at::cuda::launch(fill, 64, 128, 0, side.stream(), static_cast<int*>(data.get())));
    if (count > 1) cuda::CUDACachingAllocator::recordStream(data, side); // the cure
    data.clear();
    cuda::device_synchronize();
  }
}
