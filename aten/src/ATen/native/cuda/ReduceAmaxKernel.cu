#include <ATen/native/cuda/ReduceExtremum.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(amax_kernels, (&extremum_kernels<ExtremumOp, true>))

} // namespace at::native
