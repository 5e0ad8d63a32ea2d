${generated}

#include <ATen/core/boxing/unboxed_argument.h>
#include <torch/csrc/jit/runtime/static/kernels.h>
${includes}

namespace torch::jit::static_runtime {
namespace {

${definitions}
const KernelRow rows[] = {
  ${rows}
};
const KernelTable table(rows);

}  // namespace
}  // namespace torch::jit::static_runtime
//@section kernel
// ${schema}
void ${name}(const c10::IValue* arguments, at::Tensor& out) {
  at::${call}(
      ${arguments}
      out);
}
//@section row
{"${operator}", &${name}},
