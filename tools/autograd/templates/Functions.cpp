${generated}
#undef TORCH_TENSOR_METHODS
${methods}

#include <torch/csrc/autograd/generated/${header}>

#include <ATen/ExpandUtils.h>
#include <torch/csrc/autograd/FunctionsManual.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/index_range.h>
#include <torch/csrc/autograd/saved_values.h>
${includes}

#include <array>
#include <mutex>
#include <tuple>

namespace torch::autograd::generated {

using namespace details;
using at::IntArrayRef;
using at::Scalar;
using at::Tensor;
using at::TensorList;

${definitions}
}  // namespace torch::autograd::generated
//@section methods
#define TORCH_TENSOR_METHODS ${declarations}
//@section name
// ${schema}
std::string ${node}::name() const {
  return "${shown}";
}
//@section apply
variable_list ${node}::apply(variable_list&& grads) {
  ${ranges}
  variable_list grad_inputs(${count});
  if (!any_variable_defined(grads)) {
    return grad_inputs;
  }
  ${lock}
  ${unpacked}
  ${gradients}
  return grad_inputs;
}

//@section release
void ${node}::release_variables() {
  std::lock_guard lock(mutex_);
  ${releases}
}

//@section single
if (${asked}) {
  grad_inputs[${place}] = ${formula};
}
//@section range
if (${asked}) {
  copy_range(grad_inputs, ${place}, ${formula});
}
//@section each
if (${asked}) {
  std::vector<Tensor> gradients(grads.size());
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined()) {
      gradients[i] = ${formula};
    }
  }
  copy_range(grad_inputs, ${place}, gradients);
}
//@section sum
if (${asked}) {
  const Edge& target = next_edge(${place}.first);
  Tensor sum;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined()) {
      const Tensor gradient = ${formula};
      const InputMetadata& metadata = target.function->input_metadata(target.input_nr);
      const Tensor reduced = metadata.reduce_grad(gradient);
      sum = sum.defined() ? sum + reduced : reduced;
    }
  }
  copy_range(grad_inputs, ${place}, sum);
}
//@section several
if (${asked}) {
  ${mask}
  auto gradients = ${formula};
  ${stores}
}
//@section store
grad_inputs[${place}] = std::get<${index}>(gradients);
//@section store_range
copy_range(grad_inputs, ${place}, std::get<${index}>(gradients));
