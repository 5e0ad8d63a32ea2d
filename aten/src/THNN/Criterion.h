#pragma once
// What the losses share: a loss for each element, and its sum or mean.
#include <TH/THTensorApply.h>

#include <ATen/core/Reduction.h>
#include <ATen/ops/sum.h>

namespace thnn {

// Gives an output the values and sizes of a tensor.
inline void assign(c10::TensorImpl* output, const at::Tensor& value) {
  th::tensor(output).resize_(value.sizes()).copy_(value);
}

// The sum of all elements, as a tensor of the type Sum without dimensions.
template <typename Sum>
at::Tensor sum_of(const at::Tensor& elements) {
  return at::sum(elements, c10::CppTypeToScalarType<Sum>::value);
}

// output = loss(input[i], target[i], others[i]...) for each i, or the sum or mean of these.
template <typename Device, typename T, typename Sum, typename Loss, typename... Others>
void criterion(
    c10::TensorImpl* output, int64_t reduction, const Loss& loss, c10::TensorImpl* input,
    Others*... others) {
  if (reduction == at::Reduction::None) {
    th::apply<Device, T>(output, loss, input, others...);
    return;
  }
  const at::Tensor losses = at::empty({0}, th::tensor(input).options());
  th::apply<Device, T>(losses.unsafeGetTensorImpl(), loss, input, others...);
  const at::Tensor sum = sum_of<Sum>(losses);
  if (reduction == at::Reduction::Mean) {
    sum.div_(losses.numel());
  }
  assign(output, sum.reshape({1}));
}

// slope(input, others...) times the gradient of the loss.
template <typename T, typename Slope>
struct ScaledSlope {
  Slope slope;
  T factor;
  template <typename... Others>
  C10_HOST_DEVICE T operator()(T grad, T input, Others... others) const {
    return slope(input, others...) * (grad * factor);
  }
};

// gradInput = slope(input[i], target[i], others[i]...) times the gradient of the loss.
template <typename Device, typename T, typename Slope, typename... Others>
void criterion_gradient(
    c10::TensorImpl* grad_input, c10::TensorImpl* grad_output, int64_t reduction,
    const Slope& slope, c10::TensorImpl* input, Others*... others) {
  at::Tensor grad = th::tensor(grad_output);
  if (reduction != at::Reduction::None) {
    TORCH_CHECK(grad.numel() == 1, "the gradient of a reduced loss has one element");
    grad = grad.reshape({}).expand(input->sizes());
  } else {
    TORCH_CHECK(
        grad.numel() == input->numel(), "tensors of sizes ", input->sizes(), " and ", grad.sizes(),
        " differ in their number of elements");
    grad = grad.reshape(input->sizes());
  }
  const T factor = reduction == at::Reduction::Mean ? T(1) / static_cast<T>(input->numel()) : T(1);
  th::apply<Device, T>(
      grad_input, ScaledSlope<T, Slope>{slope, factor}, grad.unsafeGetTensorImpl(), input,
      others...);
}

} // namespace thnn
