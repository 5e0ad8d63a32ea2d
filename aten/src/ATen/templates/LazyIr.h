${generated}
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/lazy/core/node_parts.h>
#include <torch/csrc/lazy/core/node_text.h>
#include <${node_base_header}>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ${namespace} {

using torch::lazy::Hash;
using torch::lazy::Kernel;
using torch::lazy::OpKind;
using torch::lazy::Shape;
using torch::lazy::Value;

${nodes}
}  // namespace ${namespace}
//@section node
// ${schema}
class ${name} : public ${node_base} {
 public:
  static OpKind ClassOpKind() {
    return OpKind("${op}");
  }

  ${name}(${parameters})
      : ${node_base}(
            ${name}::ClassOpKind(), torch::lazy::operands_of(${operands}), std::move(shapes),
            torch::lazy::scalars_of(${scalars}), Hash::of(${hashed}))${initializers} {}

  std::string ToString() const override {
    return torch::lazy::attribute_texts(${texts});
  }
  ${lower}

  ${members}
};

