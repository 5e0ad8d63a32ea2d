// Registers the generated operator, and lists its implementations.
#include <caffe2/contrib/aten/aten_op.h>
#include <caffe2/contrib/aten/keys.h>

#include <climits>

namespace caffe2 {

REGISTER_DIFFERENTIABLE_OPERATOR(
    ATen, ATenOp, OpSchema().NumInputs(0, INT_MAX).NumOutputs(1, INT_MAX));

std::vector<std::string> aten::implementation_keys() {
  std::vector<std::string> keys;
  for (const ImplementationTable table : ATenOp::tables()) {
    for (const Implementation& row : table)
      keys.emplace_back(row.key);
  }
  return keys;
}

} // namespace caffe2
