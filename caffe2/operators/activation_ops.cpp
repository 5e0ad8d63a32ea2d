// Relu, Sigmoid, Tanh and Softmax.
#include <caffe2/core/argument_helper.h>
#include <caffe2/core/differentiable_operator.h>

#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/threshold_backward.h>

namespace caffe2 {

namespace {

template <at::Tensor (*function)(const at::Tensor&)>
class UnaryOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {function(inputs[0])};
  }
};

class ReluOp final : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

 private:
  void Run() override { SetOutput(0, at::relu(Input(0))); }
};

// dX from Y and dY, so that Relu may overwrite its input.
class ReluGradientOp final : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

 private:
  void Run() override { SetOutput(0, at::threshold_backward(Input(1), Input(0), 0)); }
};

class ReluGradientMaker final : public GradientMakerBase {
 public:
  using GradientMakerBase::GradientMakerBase;

 private:
  std::vector<OperatorDef> GetGradientDefs() override {
    return {SingleGradientDef("ReluGradient", {O(0), GO(0)}, {GI(0)})};
  }
};

// The dimensions from `axis` are one.
class SoftmaxOp final : public DifferentiableOperator {
 public:
  SoftmaxOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        axis_(GetArgument<int64_t>(definition, "axis", 1)) {}

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor& input = inputs[0];
    return {at::softmax(input.flatten(axis_), -1).view(input.sizes())};
  }

 private:
  int64_t axis_;
};

REGISTER_CPU_OPERATOR(Relu, ReluOp, OpSchema().NumInputs(1));
REGISTER_CPU_OPERATOR(ReluGradient, ReluGradientOp, OpSchema().NumInputs(2));
REGISTER_GRADIENT(Relu, ReluGradientMaker);
REGISTER_DIFFERENTIABLE_OPERATOR(Sigmoid, UnaryOp<at::sigmoid>, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(Tanh, UnaryOp<at::tanh>, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(Softmax, SoftmaxOp, OpSchema().NumInputs(1));

} // namespace

} // namespace caffe2
