${generated}
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>
#include <torch/csrc/autograd/variable.h>
${includes}

#include <optional>

namespace torch {

${functions}
}  // namespace torch
//@section factory
// ${schema}
inline ${declaration} {
  at::AutoDispatchBelowADInplaceOrView guard;
  return autograd::make_variable(at::${name}(${arguments}), options.requires_grad());
}

