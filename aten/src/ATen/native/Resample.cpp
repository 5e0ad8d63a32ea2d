#include <ATen/native/Resample.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/to.h>

#include <numeric>

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

// Whether the kernels take both tensors in channels-last order.
bool are_channels_last(
    const Tensor& in, const Tensor& out, const std::optional<AxisMap>& rows,
    const std::optional<AxisMap>& depth) {
  return in.is_cpu() && in.dim() == 4 && rows.has_value() && !depth.has_value() &&
      !in.is_contiguous() && in.is_contiguous(MemoryFormat::ChannelsLast) &&
      out.is_contiguous(MemoryFormat::ChannelsLast);
}

AxisMap identity_map(int64_t size) {
  AxisMap map;
  map.first.resize(static_cast<size_t>(size));
  std::iota(map.first.begin(), map.first.end(), 0);
  return map;
}

// Maps that copy take the channels for columns, columns for rows and rows for depth.
Resampling channels_last_job(const Tensor& indexed, const AxisMap& rows, const AxisMap& columns) {
  const int64_t batch = indexed.size(0), channels = indexed.size(1);
  const int64_t height = indexed.size(2), width = indexed.size(3);
  if (columns.second.empty()) {
    return {batch, width, channels, columns, identity_map(channels), height, rows};
  }
  Resampling job{batch, height, width, rows, columns};
  job.channels = channels;
  return job;
}

} // namespace

void resample(
    const Tensor& in, const Tensor& out, const std::optional<AxisMap>& rows, const AxisMap& columns,
    const std::optional<AxisMap>& depth) {
  if (out.numel() == 0) {
    return;
  }
  if (are_channels_last(in, out, rows, depth)) {
    resample_stub(
        in.device().type(), in.scalar_type(), channels_last_job(in, *rows, columns),
        in.const_data_ptr(), out.mutable_data_ptr());
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
  if (dtype == wide && are_channels_last(grad, grad_in, rows, depth)) {
    resample_backward_stub(
        grad.device().type(), wide, channels_last_job(grad_in, *rows, columns),
        grad.const_data_ptr(), grad_in.mutable_data_ptr());
    return;
  }
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
