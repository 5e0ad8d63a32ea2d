#include <ATen/native/cuda/ReduceArithmetic.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(prod_kernels, &arithmetic_kernels<false>)

} // namespace at::native
