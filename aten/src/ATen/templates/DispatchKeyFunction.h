${generated}
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
${includes}
#include <c10/core/Scalar.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>

#include <tuple>
#include <vector>

namespace at::${namespace} {

${declarations}
}  // namespace at::${namespace}
