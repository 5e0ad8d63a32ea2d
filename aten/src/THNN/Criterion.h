#pragma once
// What the losses share: a loss for each element, and its sum or mean.
#include <TH/THTensorApply.h>

#include <ATen/core/Reduction.h>

namespace thnn {

// output = loss(input[i], target[i], others[i]...) for each i, or the sum or mean of these.
template <typename T, typename Sum, typename Loss, typename... Others>
void criterion(
    c10::TensorImpl* output, int64_t reduction, const Loss& loss, c10::TensorImpl* input,
    Others*... others) {
  if (reduction == at::Reduction::None) {
    th::apply<T>(output, loss, input, others...);
    return;
  }
  const at::Tensor losses = at::empty({0}, th::tensor(input).options());
  th::apply<T>(losses.unsafeGetTensorImpl(), loss, input, others...);
  Sum sum = 0;
  for (const T value : th::Elements<T>(losses)) {
    sum += value;
  }
  if (reduction == at::Reduction::Mean) {
    sum /= static_cast<Sum>(losses.numel());
  }
  th::Results<T> result(output, {1});
  result[0] = static_cast<T>(sum);
  result.store();
}

// gradInput = slope(input[i], target[i], others[i]...) times the gradient of the loss.
template <typename T, typename Slope, typename... Others>
void criterion_gradient(
    c10::TensorImpl* grad_input, c10::TensorImpl* grad_output, int64_t reduction,
    const Slope& slope, c10::TensorImpl* input, Others*... others) {
  if (reduction == at::Reduction::None) {
    const auto scaled = [&](T x, T target, auto grad, auto... rest) {
      return slope(x, target, rest...) * grad;
    };
    // The gradient comes after the target, before optional weights.
    const auto call = [&](c10::TensorImpl* target, auto*... rest) {
      th::apply<T>(grad_input, scaled, input, target, grad_output, rest...);
    };
    call(others...);
    return;
  }
  const th::Elements<T> grad(grad_output);
  TORCH_CHECK(grad.size() == 1, "the gradient of a reduced loss has one element");
  const T factor =
      reduction == at::Reduction::Mean ? grad[0] / static_cast<T>(input->numel()) : grad[0];
  th::apply<T>(
      grad_input, [&](auto... values) { return slope(values...) * factor; }, input, others...);
}

} // namespace thnn
