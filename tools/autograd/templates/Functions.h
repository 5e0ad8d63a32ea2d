${generated}
#pragma once

#include <ATen/TensorGeometry.h>
#include <ATen/core/Tensor.h>
#include <c10/macros/Export.h>
#include <torch/csrc/autograd/TypeAndSize.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <string>
#include <vector>

namespace torch::autograd::generated {

// Nodes are called through their virtual functions, so no other library needs the names of these.
${nodes}
}  // namespace torch::autograd::generated
//@section node
// ${schema}
struct TORCH_API ${node} : public ${base} {
  using ${base}::${base};
  C10_HIDDEN variable_list apply(variable_list&& grads) override;
  C10_HIDDEN std::string name() const override;
  ${overrides}
  ${members}
};

