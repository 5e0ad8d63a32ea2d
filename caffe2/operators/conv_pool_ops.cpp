// Convolution and pooling of images: Conv, MaxPool, AveragePool.
#include <caffe2/core/differentiable_operator.h>
#include <caffe2/operators/pool_arguments.h>

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/max_pool2d.h>

namespace caffe2 {

namespace {

// X (N, C, H, W), filter (M, C / group, kernel_h, kernel_w), [bias (M)].
class ConvOp final : public DifferentiableOperator {
 public:
  ConvOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        kernel_(PairArgument(definition, "kernel", 0)),
        stride_(PairArgument(definition, "stride", 1)),
        dilation_(PairArgument(definition, "dilation", 1)),
        padding_(PaddingArgument(definition)),
        group_(GetArgument<int64_t>(definition, "group", 1)) {
    CheckOrder(definition);
  }

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    const at::Tensor& filter = inputs[1];
    TORCH_CHECK(
        filter.dim() == 4 && (kernel_[0] == 0 || filter.size(2) == kernel_[0]) &&
            (kernel_[1] == 0 || filter.size(3) == kernel_[1]),
        "the filter has the sizes ", filter.sizes(), ", but the kernel is ", kernel_[0], " by ",
        kernel_[1]);
    std::optional<at::Tensor> bias;
    if (inputs.size() > 2) bias = inputs[2];
    return {at::conv2d(inputs[0], filter, bias, stride_, padding_, dilation_, group_)};
  }

 private:
  std::vector<int64_t> kernel_, stride_, dilation_, padding_;
  int64_t group_;
};

// The arguments of both kinds of pooling: kernels, strides and pads, or `global_pooling`.
class PoolOp : public DifferentiableOperator {
 public:
  PoolOp(const OperatorDef& definition, Workspace* workspace)
      : DifferentiableOperator(definition, workspace),
        global_(GetArgument<bool>(definition, "global_pooling", false)),
        kernel_(PairArgument(definition, "kernel", 0)),
        stride_(PairArgument(definition, "stride", 1)),
        padding_(PaddingArgument(definition)) {
    CheckOrder(definition);
    TORCH_CHECK_VALUE(
        global_ || (kernel_[0] > 0 && kernel_[1] > 0), "operator ", definition.type(),
        " needs the argument \"kernel\"");
  }

 protected:
  std::vector<int64_t> kernel(const at::Tensor& input) const {
    TORCH_CHECK(input.dim() == 4, "expected images (N, C, H, W), but got ", input.sizes());
    return global_ ? std::vector<int64_t>{input.size(2), input.size(3)} : kernel_;
  }
  const std::vector<int64_t>& stride() const { return stride_; }
  const std::vector<int64_t>& padding() const { return padding_; }

 private:
  bool global_;
  std::vector<int64_t> kernel_, stride_, padding_;
};

class MaxPoolOp final : public PoolOp {
 public:
  using PoolOp::PoolOp;
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {at::max_pool2d(inputs[0], kernel(inputs[0]), stride(), padding())};
  }
};

class AveragePoolOp final : public PoolOp {
 public:
  AveragePoolOp(const OperatorDef& definition, Workspace* workspace)
      : PoolOp(definition, workspace),
        count_padding_(GetArgument<bool>(definition, "count_include_pad", false)) {}

  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const override {
    return {at::avg_pool2d(
        inputs[0], kernel(inputs[0]), stride(), padding(), /*ceil_mode=*/false, count_padding_)};
  }

 private:
  bool count_padding_;
};

REGISTER_DIFFERENTIABLE_OPERATOR(Conv, ConvOp, OpSchema().NumInputs(2, 3));
REGISTER_DIFFERENTIABLE_OPERATOR(MaxPool, MaxPoolOp, OpSchema().NumInputs(1));
REGISTER_DIFFERENTIABLE_OPERATOR(AveragePool, AveragePoolOp, OpSchema().NumInputs(1));

} // namespace

} // namespace caffe2
