${generated}
#undef TORCH_TENSOR_METHODS

#include <ATen/core/Tensor.h>
${includes}

namespace at {

${methods}
}  // namespace at
//@section method
// ${schema}
${declaration} {
  return at::_ops::${struct}::call(${arguments});
}

