#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Launches of small kernels (kernels.cu), which nvcc and the emulated device's C++ compile alike.
namespace c10::cuda::test {

// y[i] = a * x[i] + y[i]
cudaError_t launch_saxpy(int n, float a, const float* x, float* y, cudaStream_t stream);
// out[block] = the sum of the block's 256 values, through shared memory. Without the barriers, a
// bug.
cudaError_t launch_block_sum(
    int blocks, const float* in, float* out, bool barriers, cudaStream_t stream);
// out[0] = the sum of n values: warp shuffles, dynamic shared memory, one atomic per block.
cudaError_t launch_warp_sum(int n, const int* in, int* out, cudaStream_t stream);
// out[i] = the linear index of the thread, from all of its coordinates
cudaError_t launch_coordinates(dim3 grid, dim3 block, int* out, cudaStream_t stream);
// Appends the even values of `in` in no particular order. Without the marker, a bug.
cudaError_t launch_compact(
    int n, const int* in, int* out, int* count, bool marked, cudaStream_t stream);
// Threads write shared[threadIdx.x + offset] of an array of 64 ints.
cudaError_t launch_shared_write(int offset, int* out, cudaStream_t stream);
// pointer[index] = value, by one thread
cudaError_t launch_write(int* pointer, ptrdiff_t index, int value, cudaStream_t stream);
// The first half of a block waits at one barrier, the rest at another.
cudaError_t launch_check_index(int index, int bound, cudaStream_t stream);
cudaError_t launch_divergent_barrier(cudaStream_t stream);
// Lane 0 leaves, the others exchange with all 32.
cudaError_t launch_missing_lane(int* out, cudaStream_t stream);
// out[lane] = ballot, any, all, xor-, up- and down-shuffles of each of the 32 lanes, 6 ints each
cudaError_t launch_warp_functions(int* out, cudaStream_t stream);

} // namespace c10::cuda::test
