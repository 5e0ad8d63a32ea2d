// One direction of an LSTM layer over a padded sequence as a single operator: the products with the
// input are one matrix product for all steps, and so are the gradients of the weights.

#include <ATen/native/LstmLayer.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/_lstm_layer_backward_native.h>
#include <ATen/ops/_lstm_layer_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(lstm_step_stub);
DEFINE_DISPATCH(lstm_step_backward_stub);

namespace {

Tensor flat(const Tensor& sequence) {
  return at::reshape(sequence, {-1, sequence.size(-1)});
}

Tensor input_products(
    const Tensor& input, const Tensor& w_ih, const std::optional<Tensor>& b_ih,
    const std::optional<Tensor>& b_hh) {
  const Tensor rows = flat(input);
  if (!b_ih.has_value() || !b_ih->defined()) {
    return at::mm(rows, at::t(w_ih));
  }
  return at::addmm(at::add(*b_ih, *b_hh), rows, at::t(w_ih));
}

// The states before each step: the initial state, then the results of all steps but the last.
Tensor sum_over_steps(
    const Tensor& grad_gates, const Tensor& first, const Tensor& results, bool reverse) {
  const int64_t steps = results.size(0);
  const Tensor first_grad = at::select(grad_gates, 0, reverse ? steps - 1 : 0);
  Tensor sum = at::mm(at::t(first_grad), first);
  if (steps > 1) {
    const Tensor later = at::narrow(grad_gates, 0, reverse ? 0 : 1, steps - 1);
    const Tensor before = at::narrow(results, 0, reverse ? 1 : 0, steps - 1);
    at::methods::addmm_(sum, at::t(flat(later)), flat(before));
  }
  return sum;
}

void* data_of(const Tensor& tensor) {
  return const_cast<void*>(tensor.const_data_ptr());
}

Tensor contiguous_or_zeros(const std::optional<Tensor>& grad, const Tensor& like) {
  return grad.has_value() && grad->defined() ? grad->contiguous()
                                             : at::zeros(like.sizes(), like.options());
}

// The steps read raw memory, so the shapes are checked first.
void check_shapes(
    const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& w_ih,
    const Tensor& w_hh) {
  TORCH_CHECK(
      input.dim() == 3 && hx.dim() == 2 && cx.sizes() == hx.sizes() && hx.size(0) == input.size(1),
      "lstm: input ", input.sizes(), ", hidden state ", hx.sizes(), " and cell state ", cx.sizes(),
      " do not fit");
  const int64_t width = hx.size(1);
  TORCH_CHECK(
      w_ih.dim() == 2 && w_ih.size(0) == 4 * width && w_ih.size(1) == input.size(2) &&
          w_hh.dim() == 2 && w_hh.size(0) == 4 * width && w_hh.size(1) == width,
      "lstm: weights ", w_ih.sizes(), " and ", w_hh.sizes(), " do not fit input ", input.sizes(),
      " and hidden state ", hx.sizes());
  for (const Tensor* tensor : {&hx, &cx, &w_ih, &w_hh}) {
    TORCH_CHECK(
        tensor->scalar_type() == input.scalar_type(), "lstm: expected dtype ", input.scalar_type(),
        " but got ", tensor->scalar_type());
  }
}

} // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> _lstm_layer(
    const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& w_ih, const Tensor& w_hh,
    const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh, bool reverse) {
  check_shapes(input, hx, cx, w_ih, w_hh);
  const int64_t steps = input.size(0), batch = input.size(1), width = hx.size(1);
  const Tensor gates =
      at::methods::view(input_products(input, w_ih, b_ih, b_hh), {steps, batch, 4 * width});
  const Tensor cells = at::empty({steps, batch, width}, input.options());
  const Tensor output = at::empty({steps, batch, width}, input.options());
  const Tensor by_row = at::t(w_hh).contiguous(); // once, not in every step
  Tensor hidden = hx.contiguous(), cell = cx.contiguous();
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reverse ? steps - 1 - i : i;
    Tensor sums = at::select(gates, 0, t);
    at::methods::addmm_(sums, hidden, by_row);
    const Tensor next_cell = at::select(cells, 0, t), next_hidden = at::select(output, 0, t);
    if (!input.is_meta()) {
      lstm_step_stub(
          input.device().type(), input.scalar_type(),
          LstmStep{
              batch, width, data_of(sums), data_of(cell), data_of(next_cell),
              data_of(next_hidden)});
    }
    hidden = next_hidden;
    cell = next_cell;
  }
  return {output, at::clone(hidden), at::clone(cell), gates, cells};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> _lstm_layer_backward(
    const std::optional<Tensor>& grad_output, const std::optional<Tensor>& grad_hy,
    const std::optional<Tensor>& grad_cy, const Tensor& input, const Tensor& hx, const Tensor& cx,
    const Tensor& w_ih, const Tensor& w_hh, const Tensor& output, const Tensor& gates,
    const Tensor& cells, bool reverse) {
  check_shapes(input, hx, cx, w_ih, w_hh);
  const int64_t steps = input.size(0), batch = input.size(1), width = hx.size(1);
  for (const Tensor* tensor : {&output, &cells}) {
    TORCH_CHECK(tensor->numel() == steps * batch * width, "lstm: unexpected shape of the results");
  }
  TORCH_CHECK(gates.numel() == 4 * output.numel(), "lstm: unexpected shape of the results");
  const bool has_output = grad_output.has_value() && grad_output->defined();
  const Tensor grads = has_output ? grad_output->contiguous() : Tensor();
  const Tensor grad_gates = at::clone(gates, MemoryFormat::Contiguous);
  const Tensor states = cells.contiguous();
  Tensor grad_hidden = contiguous_or_zeros(grad_hy, hx);
  const Tensor grad_cell = at::clone(contiguous_or_zeros(grad_cy, cx));
  const Tensor first_cell = cx.contiguous();
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reverse ? i : steps - 1 - i;
    const int64_t before = reverse ? t + 1 : t - 1;
    const bool first = i == steps - 1;
    const Tensor sums = at::select(grad_gates, 0, t);
    if (!input.is_meta()) {
      const Tensor previous = first ? first_cell : at::select(states, 0, before);
      lstm_step_backward_stub(
          input.device().type(), input.scalar_type(),
          LstmStepBackward{
              batch, width, data_of(sums), data_of(previous), data_of(at::select(states, 0, t)),
              has_output ? data_of(at::select(grads, 0, t)) : nullptr, data_of(grad_hidden),
              data_of(grad_cell)});
    }
    grad_hidden = at::mm(sums, w_hh);
  }
  const Tensor rows = flat(grad_gates);
  return {
      at::methods::view(at::mm(rows, w_ih), input.sizes()),
      grad_hidden,
      grad_cell,
      at::mm(at::t(rows), flat(input)),
      sum_over_steps(grad_gates, hx, output, reverse),
      at::sum(rows, 0)};
}

} // namespace at::native
