#include <ATen/native/cpu/ArgReduce.h>

namespace at::native {

REGISTER_DISPATCH(argmin_kernels, &arg_kernels<false>)

} // namespace at::native
