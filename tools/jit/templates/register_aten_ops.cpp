${generated}

#include <torch/csrc/jit/runtime/operator.h>
${includes}

namespace torch::jit {
namespace {

c10::OperatorEntry* const entries[] = {
  ${entries}
};
const OperatorTable table(entries);

}  // namespace
}  // namespace torch::jit
//@section entry
&at::_ops::${struct}::entry,
