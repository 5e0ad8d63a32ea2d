${generated}

#include "${header}"

#include "LazyIr.h"

#include <torch/csrc/lazy/core/direct_calls.h>
#include <torch/csrc/lazy/core/metrics.h>
#include <torch/csrc/lazy/core/shape_inference.h>
#include <${tensor_header}>
${includes}

namespace ${namespace} {

using torch::lazy::MakeNode;
using torch::lazy::NodePtr;
using torch::lazy::shapes_of;
using torch::lazy::tensor_of;
using torch::lazy::to_meta;
using torch::lazy::value_of;

${kernels}
}  // namespace ${namespace}
//@section kernel
// ${schema}
${declaration} {
  TORCH_LAZY_FN_COUNTER("lazy::", "${root}");
  const torch::lazy::TraceLock lock;
  std::vector<Shape> shapes = ${shapes};
  const NodePtr node = MakeNode<${name}>(${arguments});
  return ${results};
}

//@section meta_shapes
[&] {
    const torch::lazy::DirectCalls guard;
    return shapes_of(at::_ops::${struct}::call(${arguments}));
  }()
