// Exponential functions and logarithms.

#include <ATen/native/cuda/UnaryFormulas.cuh>

namespace at::native {
namespace {

AT_FORMULA(Exp, exp(x))
AT_FORMULA(Expm1, expm1(x))
AT_FORMULA(Log, log(x))
AT_FORMULA(Log1p, log1p(x))

AT_COMPLEX_KERNEL(exp, Exp)
AT_COMPLEX_KERNEL(expm1, Expm1)
AT_COMPLEX_KERNEL(log, Log)
AT_COMPLEX_KERNEL(log1p, Log1p)

} // namespace

REGISTER_CUDA_DISPATCH(exp_stub, &exp_kernel_cuda)
REGISTER_CUDA_DISPATCH(expm1_stub, &expm1_kernel_cuda)
REGISTER_CUDA_DISPATCH(log_stub, &log_kernel_cuda)
REGISTER_CUDA_DISPATCH(log1p_stub, &log1p_kernel_cuda)

} // namespace at::native
