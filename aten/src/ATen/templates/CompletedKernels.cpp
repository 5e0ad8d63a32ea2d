${generated}

#include <ATen/core/Tensor.h>
#include <ATen/native/CompletedKernels.h>
${includes}

namespace at::native {

${kernels}
}  // namespace at::native
//@section out
// ${schema}
${declaration} {
  ${call}
  ${copies}
  return ${returns};
}

//@section functional
// ${schema}
${declaration} {
  ${copies}
  ${call}
  return ${returns};
}

