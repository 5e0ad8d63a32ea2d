// Sums, products and copies: FC, MatMul, Add, Sub, Mul, Div, Sum, WeightedSum, Scale, Flatten,
// Copy.
#include <caffe2/core/argument_helper.h>
#include <caffe2/core/differentiable_operator.h>

#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>

#include <climits>

namespace caffe2 {

namespace {

// The dimensions before `axis` as one, and those from it as another.
at::Tensor as_matrix(const at::Tensor& tensor, int64_t axis) {
  TORCH_CHECK(
      axis >= 0 && axis <= tensor.dim(), "there is no axis ", axis, " in the sizes ",
      tensor.sizes());
  int64_t rows = 1;
  for (int64_t i = 0; i < axis; ++i)
    rows *= tensor.size(i);
  return tensor.reshape({rows, rows ? tensor.numel() / rows : 0});
}

// Y = X W^T + b, where X has the dimensions before `axis` as rows, and W those before `axis_w`.
class FCOp final : public DifferentiableOperator {
 public:
  FCOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        axis_(GetArgument<int64_t>(definition, "axis", 1)),
        axis_w_(GetArgument<int64_t>(definition, "axis_w", 1)) {}

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor& x = inputs[0];
    const at::Tensor y = at::linear(as_matrix(x, axis_), as_matrix(inputs[1], axis_w_), inputs[2]);
    std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().begin() + axis_);
    sizes.push_back(y.size(1));
    return {y.view(sizes)};
  }

 private:
  int64_t axis_, axis_w_;
};

class MatMulOp final : public DifferentiableOperator {
 public:
  MatMulOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        transpose_a_(GetArgument<bool>(definition, "trans_a", false)),
        transpose_b_(GetArgument<bool>(definition, "trans_b", false)) {}

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor a = as_matrix(inputs[0], 1);
    const at::Tensor b = as_matrix(inputs[1], 1);
    return {at::matmul(transpose_a_ ? a.t() : a, transpose_b_ ? b.t() : b)};
  }

 private:
  bool transpose_a_, transpose_b_;
};

// Sizes are broadcast as NumPy does; `broadcast` need not be set.
template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
class BinaryOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {function(inputs[0], inputs[1])};
  }
};

at::Tensor add(const at::Tensor& a, const at::Tensor& b) {
  return at::add(a, b);
}
at::Tensor sub(const at::Tensor& a, const at::Tensor& b) {
  return at::sub(a, b);
}
at::Tensor mul(const at::Tensor& a, const at::Tensor& b) {
  return at::mul(a, b);
}
at::Tensor div(const at::Tensor& a, const at::Tensor& b) {
  return at::div(a, b);
}

class SumOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    at::Tensor sum = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i)
      sum = at::add(sum, inputs[i]);
    return {sum};
  }
};

// X0, weight0, X1, weight1, ...: the weights have one element.
class WeightedSumOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    TORCH_CHECK(
        inputs.size() % 2 == 0, "WeightedSum needs a weight for each input, but got ",
        inputs.size(), " inputs");
    at::Tensor sum;
    for (size_t i = 0; i < inputs.size(); i += 2) {
      TORCH_CHECK(
          inputs[i + 1].numel() == 1, "a weight has one element, but the input ", i + 1, " has ",
          inputs[i + 1].numel());
      const at::Tensor term = at::mul(inputs[i], inputs[i + 1].reshape({}));
      sum = sum.defined() ? at::add(sum, term) : term;
    }
    return {sum};
  }
};

class ScaleOp final : public DifferentiableOperator {
 public:
  ScaleOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        scale_(GetArgument<double>(definition, "scale", 1.0)) {}
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {at::mul(inputs[0], scale_)};
  }

 private:
  double scale_;
};

class FlattenOp final : public DifferentiableOperator {
 public:
  FlattenOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        axis_(GetArgument<int64_t>(definition, "axis", 1)) {}
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {as_matrix(inputs[0], axis_)};
  }

 private:
  int64_t axis_;
};

class CopyOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {inputs[0].clone()};
  }
};

class StopGradientOp final : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

 private:
  void Run() override { SetOutput(0, Input(0)); }
};

REGISTER_DIFFERENTIABLE_OPERATOR(FC, FCOp, OpSchema().NumInputs(3));
REGISTER_DIFFERENTIABLE_OPERATOR(MatMul, MatMulOp, OpSchema().NumInputs(2));
REGISTER_DIFFERENTIABLE_OPERATOR(Add, BinaryOp<add>, OpSchema().NumInputs(2));
REGISTER_DIFFERENTIABLE_OPERATOR(Sub, BinaryOp<sub>, OpSchema().NumInputs(2));
REGISTER_DIFFERENTIABLE_OPERATOR(Mul, BinaryOp<mul>, OpSchema().NumInputs(2));
REGISTER_DIFFERENTIABLE_OPERATOR(Div, BinaryOp<div>, OpSchema().NumInputs(2));
REGISTER_DIFFERENTIABLE_OPERATOR(Sum, SumOp, OpSchema().NumInputs(1, INT_MAX));
REGISTER_DIFFERENTIABLE_OPERATOR(WeightedSum, WeightedSumOp, OpSchema().NumInputs(2, INT_MAX));
REGISTER_DIFFERENTIABLE_OPERATOR(Scale, ScaleOp, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(Flatten, FlattenOp, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(Copy, CopyOp, OpSchema().NumInputs(1));
REGISTER_CPU_OPERATOR(StopGradient, StopGradientOp, OpSchema().NumInputs(1));
NO_GRADIENT(StopGradient);

} // namespace

} // namespace caffe2
