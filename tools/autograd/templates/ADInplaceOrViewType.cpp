${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/saved_values.h>
${includes}

#include <vector>

namespace torch::ADInplaceOrView {
namespace {

using namespace torch::autograd;

${kernels}
c10::KernelRow rows[] = {
  ${rows}
};
const c10::KernelTable table(rows);

}  // namespace
}  // namespace torch::ADInplaceOrView
//@section writing
// ${schema}
${declaration} {
  {
    at::AutoDispatchBelowADInplaceOrView guard;
    ${call}
  }
  ${versions}
  ${return_value}
}

//@section view
// ${schema}
${declaration} {
  at::Tensor result;
  {
    at::AutoDispatchBelowADInplaceOrView guard;
    result = ${call};
  }
  ${view_func}
  return as_view(
      ${base}, result, /*is_bw_differentiable=*/${differentiable},
      /*is_fw_differentiable=*/${differentiable}, ${given_func}, current_creation_meta());
}

//@section view_func
auto view_func = make_view_func([${captures}](const at::Tensor& base) {
  return at::_ops::${struct}::call(${arguments});
});
//@section views
// ${schema}
${declaration} {
  std::vector<at::Tensor> results;
  {
    at::AutoDispatchBelowADInplaceOrView guard;
    results = ${call};
  }
  as_view(
      ${base}, results, /*is_bw_differentiable=*/${differentiable},
      /*is_fw_differentiable=*/${differentiable},
      current_creation_meta(CreationMeta::MULTI_OUTPUT_NODE));
  return results;
}

