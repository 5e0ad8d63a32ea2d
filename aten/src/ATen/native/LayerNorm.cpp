// layer_norm and native_layer_norm.

#include <ATen/core/Tensor.h>
#include <ATen/native/NormKernels.h>
#include <ATen/native/NormParameters.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/layer_norm_native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/to.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(layer_norm_stub);

namespace {

void check_parameter(const char* name, const std::optional<Tensor>& parameter, IntArrayRef shape) {
  TORCH_CHECK(
      !is_given(parameter) || parameter->sizes() == shape, "Expected ", name,
      " to be of same shape as normalized_shape, but got ", name, " of shape ", parameter->sizes(),
      " and normalized_shape = ", shape);
}

} // namespace

void check_normalized_shape(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, const char* separator) {
  TORCH_CHECK(
      !shape.empty(), "Expected normalized_shape to be at least 1-dimensional, i.e., ",
      "containing at least one element, but got normalized_shape = ", shape);
  check_parameter("weight", weight, shape);
  check_parameter("bias", bias, shape);
  const auto ndim = static_cast<int64_t>(shape.size());
  if (input.dim() < ndim || input.sizes().slice(static_cast<size_t>(input.dim() - ndim)) != shape) {
    std::string expected;
    for (const int64_t size : shape) {
      expected += separator + std::to_string(size);
      separator = ", ";
    }
    TORCH_CHECK(
        false, "Given normalized_shape=", shape, ", expected input with shape [*", expected,
        "], but got input of size", input.sizes());
  }
}

namespace {

ScalarType statistics_dtype(const Tensor& input, const std::optional<Tensor>& weight) {
  return is_given(weight) ? weight->scalar_type() : input.scalar_type();
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_cpu(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps) {
  check_normalized_shape(input, shape, weight, bias);
  const ScalarType dtype = input.scalar_type();
  if (!c10::isFloatingType(dtype) || c10::isStorageType(dtype)) {
    unsupported_dtype("LayerNormKernelImpl", dtype);
  }
  const ScalarType compute = norm_compute_dtype(dtype);
  c10::DimVector rows_shape(input.sizes());
  int64_t n = 1;
  for (size_t d = rows_shape.size() - shape.size(); d < rows_shape.size(); ++d) {
    n *= rows_shape[d];
    rows_shape[d] = 1;
  }
  Tensor output = at::empty(input.sizes(), input.options());
  Tensor mean = at::empty(rows_shape, input.options().dtype(compute));
  Tensor rstd = at::empty(rows_shape, input.options().dtype(compute));
  const ScalarType statistics = statistics_dtype(input, weight);
  if (!input.is_meta()) {
    const Tensor in = input.contiguous();
    const Tensor w = norm_parameter(weight, compute), b = norm_parameter(bias, compute);
    layer_norm_stub(
        in.device().type(), dtype,
        RowNormJob{
            in.const_data_ptr(), data_or_null(w), data_or_null(b), output.mutable_data_ptr(),
            mean.mutable_data_ptr(), rstd.mutable_data_ptr(), mean.numel(), n, eps});
  }
  return {output, at::methods::to(mean, statistics), at::methods::to(rstd, statistics)};
}

std::tuple<Tensor, Tensor, Tensor> math_native_layer_norm(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps) {
  check_normalized_shape(input, shape, weight, bias);
  c10::DimVector dims;
  for (int64_t d = input.dim() - static_cast<int64_t>(shape.size()); d < input.dim(); ++d) {
    dims.push_back(d);
  }
  const Tensor mean = at::mean(input, dims, /*keepdim=*/true);
  const Tensor centred = at::sub(input, mean);
  const Tensor rstd =
      at::rsqrt(at::add(at::mean(at::mul(centred, centred), dims, /*keepdim=*/true), eps));
  Tensor output = at::mul(centred, rstd);
  if (is_given(weight)) {
    output = at::mul(output, *weight);
  }
  if (is_given(bias)) {
    output = at::add(output, *bias);
  }
  return {output, mean, rstd};
}

Tensor layer_norm(
    const Tensor& input, IntArrayRef shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps, bool /*cudnn_enable*/) {
  return std::get<0>(at::native_layer_norm(input, shape, weight, bias, eps));
}

} // namespace at::native
