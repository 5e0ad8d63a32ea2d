${generated}
#pragma once

#include <ATen/Operators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
${includes}
#include <c10/core/TensorOptions.h>

namespace at::redispatch {

${functions}
}  // namespace at::redispatch
//@section function
inline ${declaration} {
  return at::_ops::${struct}::redispatch(${arguments});
}

