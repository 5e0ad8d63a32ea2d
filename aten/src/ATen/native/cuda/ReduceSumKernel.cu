#include <ATen/native/cuda/ReduceArithmetic.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(sum_kernels, &arithmetic_kernels<true>)

} // namespace at::native
