${generated}
#pragma once

#include <ATen/TensorGeometry.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/TypeAndSize.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <string>
#include <vector>

namespace torch::autograd::generated {

// Nodes are called through their virtual functions, so no other library needs their symbols.
${nodes}
}  // namespace torch::autograd::generated
//@section node
// ${schema}
struct ${node} : public ${base} {
  using ${base}::${base};
  variable_list apply(variable_list&& grads) override;
  std::string name() const override;
  ${overrides}
  ${members}
};

