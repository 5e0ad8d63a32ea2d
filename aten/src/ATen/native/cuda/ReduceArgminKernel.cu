#include <ATen/native/cuda/ReduceExtremum.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(argmin_kernels, (&extremum_kernels<ArgExtremumOp, false>))

} // namespace at::native
