#include <ATen/native/cuda/ReduceExtremum.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(argmax_kernels, (&extremum_kernels<ArgExtremumOp, true>))

} // namespace at::native
