${generated}

#include <torch/csrc/autograd/generated/VariableType.h>

#include <torch/csrc/autograd/generated/${nodes}>
${includes}

namespace torch::autograd::VariableType {
namespace {

using namespace generated;
using namespace generated::details;
using at::TensorGeometry;

${kernels}
c10::KernelRow rows[] = {
  ${rows}
};
const c10::KernelTable table(rows);

}  // namespace
}  // namespace torch::autograd::VariableType
//@section gradient
// ${schema}
${declaration} {
  ${uncovered}
  if (!${differentiable}) {
    ${plain}
  }
  ${checks}
  auto grad_fn = make_node<${node}>(${inputs});
  ${save_inputs}
  ${declare_results}
  {
    at::AutoDispatchBelowADInplaceOrView guard;
    ${call}
  }
  ${name_results}
  ${set_history}
  ${save_outputs}
  ${return_results}
}

//@section guarded
at::AutoDispatchBelowADInplaceOrView guard;
return ${call};
//@section plain
return ${call};
//@section out
// ${schema}
${declaration} {
  if (compute_requires_grad(${inputs})) {
    throw_error_out_requires_grad("${name}");
  }
  at::AutoDispatchBelowADInplaceOrView guard;
  return ${call};
}

//@section constant
// ${schema}
${declaration} {
  at::AutoDispatchBelowADInplaceOrView guard;
  return ${call};
}

//@section guarded_save
if (grad_fn->should_compute_output(${edge})) {
  ${save}
}
//@section conditional_save
if (${condition}) {
  ${save}
}
