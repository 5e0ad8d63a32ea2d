#include <ATen/native/cpu/ExtremumReduce.h>

namespace at::native {

REGISTER_DISPATCH(amax_kernels, &extremum_kernels<true>)

} // namespace at::native
