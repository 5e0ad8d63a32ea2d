#include <ATen/native/cpu/ArgReduce.h>

namespace at::native {

REGISTER_DISPATCH(argmax_kernels, &arg_kernels<true>)

} // namespace at::native
