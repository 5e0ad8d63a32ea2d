// LabelCrossEntropy, AveragedLoss, SoftmaxWithLoss and Accuracy.
#include <caffe2/core/argument_helper.h>
#include <caffe2/core/differentiable_operator.h>

#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>

namespace caffe2 {

namespace {

// The labels as a column of indices, one for each row of the scores.
at::Tensor label_column(const at::Tensor& scores, const at::Tensor& labels) {
  TORCH_CHECK(
      scores.dim() == 2 && labels.numel() == scores.size(0),
      "expected scores (N, D) and N labels, but got the sizes ", scores.sizes(), " and ",
      labels.sizes());
  return labels.reshape({-1, 1}).to(at::kLong);
}

// X (N, D) of probabilities, labels (N): -log of the label's probability, at least 1e-20.
class LabelCrossEntropyOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor chosen = at::gather(inputs[0], 1, label_column(inputs[0], inputs[1]));
    return {at::neg(at::log(at::clamp_min(chosen, 1e-20))).reshape({-1})};
  }
};

class AveragedLossOp final : public DifferentiableOperator {
 public:
  using DifferentiableOperator::DifferentiableOperator;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {at::mean(inputs[0])};
  }
};

// X (N, D), labels (N): the softmax, and the average of the labels' cross entropy times `scale`.
class SoftmaxWithLossOp final : public DifferentiableOperator {
 public:
  SoftmaxWithLossOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        scale_(GetArgument<double>(definition, "scale", 1.0)) {}

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor labels = label_column(inputs[0], inputs[1]).reshape({-1});
    return {at::softmax(inputs[0], 1), at::mul(at::cross_entropy_loss(inputs[0], labels), scale_)};
  }

 private:
  double scale_;
};

// X (N, D), labels (N): the part of the rows whose label is among the `top_k` highest scores.
class AccuracyOp final : public OperatorBase {
 public:
  AccuracyOp(const OperatorDef& definition, Workspace* workspace)
      : OperatorBase(definition, workspace), top_k_(GetArgument<int64_t>(definition, "top_k", 1)) {}

 private:
  void Run() override {
    const at::Tensor labels = label_column(Input(0), Input(1));
    const at::Tensor best = std::get<1>(at::topk(Input(0), top_k_, 1));
    SetOutput(0, at::mean(at::eq(best, labels).sum(1).to(at::kFloat)));
  }

  int64_t top_k_;
};

REGISTER_DIFFERENTIABLE_OPERATOR(
    LabelCrossEntropy, LabelCrossEntropyOp, OpSchema().NumInputs(2).WithoutGradient({1}));
REGISTER_DIFFERENTIABLE_OPERATOR(AveragedLoss, AveragedLossOp, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(
    SoftmaxWithLoss, SoftmaxWithLossOp, OpSchema().NumInputs(2).NumOutputs(2).WithoutGradient({1}));
REGISTER_CPU_OPERATOR(Accuracy, AccuracyOp, OpSchema().NumInputs(2));
NO_GRADIENT(Accuracy);

} // namespace

} // namespace caffe2
