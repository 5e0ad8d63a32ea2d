${generated}

#include <ATen/UnboxingFunctions.h>
#include <torch/csrc/jit/runtime/unboxed_kernels.h>
${includes}

namespace torch::jit {
namespace {

const UnboxedRow rows[] = {
  ${rows}
};
const UnboxedTable table(rows);

}  // namespace
}  // namespace torch::jit
//@section row
{at::_ops::${name}::name, at::_ops::${name}::schema_str, &at::unboxing::${name}},
