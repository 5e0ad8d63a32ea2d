${generated}

#include <torch/csrc/jit/runtime/operator.h>
${includes}

namespace torch::jit {
namespace {

const OperatorRow rows[] = {
  ${rows}
};
const OperatorTable table(rows);

}  // namespace
}  // namespace torch::jit
//@section row
{at::_ops::${struct}::name, at::_ops::${struct}::schema_str, &at::_ops::${struct}::entry},
