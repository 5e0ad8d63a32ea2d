#include <ATen/native/cuda/ReduceExtremum.cuh>

namespace at::native {

REGISTER_CUDA_DISPATCH(amin_kernels, (&extremum_kernels<ExtremumOp, false>))

} // namespace at::native
