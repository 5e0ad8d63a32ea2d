${generated}
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/${root}_ops.h>
#include <c10/core/Scalar.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>

namespace at {

${functions}
}  // namespace at
${methods}
//@section methods

/// Methods of at::Tensor as functions, for callers that do not see the methods.
namespace at::methods {

${functions}
}  // namespace at::methods
//@section function
// ${schema}
inline ${declaration} {
  return at::_ops::${struct}::call(${arguments});
}

