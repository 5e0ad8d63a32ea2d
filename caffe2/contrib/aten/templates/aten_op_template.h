${generated}
#pragma once

#include <caffe2/contrib/aten/aten_call.h>
#include <caffe2/core/differentiable_operator.h>

#include <vector>

namespace caffe2 {

namespace aten {
${declarations}
}  // namespace aten

/// Runs the operator of ATen that its argument `operator` names. `overload_name` chooses one of several
/// overloads; without it, the arguments and the number of inputs do. Results that have no output are
/// dropped.
class C10_EXPORT ATenOp final : public DifferentiableOperator {
 public:
  ATenOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        implementation_(aten::find_implementation(definition, tables())) {}

  /// The rows of all implementations.
  static std::vector<aten::ImplementationTable> tables() {
    using namespace aten;
    return {
        ${calls}
    };
  }

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return implementation_.run(aten::ATenCall(definition(), inputs));
  }

 private:
  const aten::Implementation& implementation_;
};

}  // namespace caffe2
