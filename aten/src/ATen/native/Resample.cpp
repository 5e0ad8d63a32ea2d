#include <ATen/native/Resample.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/to.h>

namespace at::native {

DEFINE_DISPATCH(resample_stub);
DEFINE_DISPATCH(resample_backward_stub);

namespace {

// `indexed` is the tensor that the maps index.
Resampling job_for(
    const Tensor& indexed, const std::optional<AxisMap>& rows, const AxisMap& columns,
    const std::optional<AxisMap>& depth) {
  const int64_t in_w = indexed.size(-1), in_h = rows.has_value() ? indexed.size(-2) : 1;
  const bool mixes = !columns.second.empty();
  const AxisMap one_row = mixes ? AxisMap{{0}, {0}, {0}} : AxisMap{{0}, {}, {}};
  const int64_t in_d = depth.has_value() ? indexed.size(-3) : 1;
  const int64_t planes = indexed.numel() / (in_d * in_h * in_w);
  Resampling job{planes, in_h, in_w, rows.value_or(one_row), columns, in_d};
  if (depth.has_value()) {
    job.depth = *depth;
  }
  return job;
}

} // namespace

void resample(
    const Tensor& in, const Tensor& out, const std::optional<AxisMap>& rows, const AxisMap& columns,
    const std::optional<AxisMap>& depth) {
  if (out.numel() == 0) {
    return;
  }
  const Tensor source = in.contiguous();
  const Tensor target = out.contiguous();
  resample_stub(
      in.device().type(), in.scalar_type(), job_for(in, rows, columns, depth),
      source.const_data_ptr(), target.mutable_data_ptr());
  if (!target.is_same(out)) {
    at::methods::copy_(out, target);
  }
}

void resample_backward(
    const Tensor& grad, const Tensor& grad_in, const std::optional<AxisMap>& rows,
    const AxisMap& columns, const std::optional<AxisMap>& depth) {
  if (grad_in.numel() == 0) {
    return;
  }
  if (grad.is_complex()) {
    resample_backward(at::real(grad), at::real(grad_in), rows, columns, depth);
    resample_backward(at::imag(grad), at::imag(grad_in), rows, columns, depth);
    return;
  }
  const ScalarType dtype = grad.scalar_type();
  const ScalarType wide = dtype == kDouble ? kDouble : kFloat;
  const Tensor source = at::methods::to(grad, wide).contiguous();
  const bool direct = dtype == wide && grad_in.is_contiguous();
  const Tensor target = direct ? grad_in : at::empty(grad_in.sizes(), grad.options().dtype(wide));
  resample_backward_stub(
      grad.device().type(), wide, job_for(grad_in, rows, columns, depth), source.const_data_ptr(),
      target.mutable_data_ptr());
  if (!direct) {
    at::methods::copy_(grad_in, target);
  }
}

} // namespace at::native
