#include <ATen/native/cpu/ExtremumReduce.h>

namespace at::native {

REGISTER_DISPATCH(amin_kernels, &extremum_kernels<false>)

} // namespace at::native
