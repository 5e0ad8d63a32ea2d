#include <ATen/native/ConvProducts.h>
#include <ATen/native/ConvRows.h>
#include <ATen/native/TileConv.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

namespace at::native {

DEFINE_DISPATCH(conv_dtype_stub);
DEFINE_DISPATCH(conv_stub);
DEFINE_DISPATCH(conv_adjoint_stub);
DEFINE_DISPATCH(conv_weight_stub);

namespace {

// Half types are computed in float. Narrow integers are computed in 64 bits; truncating the result
// wraps as narrow arithmetic would.
ScalarType dtype_on_cpu(ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      dtype != kBool && !c10::isStorageType(dtype), "\"slow_conv2d_cpu\" not implemented for '",
      dtype, "'");
  return dtype == kFloat || dtype == kDouble ? dtype
      : at::isHalfFloatingType(dtype)        ? kFloat
                                             : kLong;
}

ScalarType compute_dtype(const Tensor& tensor) {
  return conv_dtype_stub(tensor.device().type(), tensor.scalar_type());
}

Tensor operand(const Tensor& tensor, ScalarType dtype) {
  return tensor.defined() ? at::methods::to(tensor, dtype).contiguous() : tensor;
}

const void* data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}

template <typename Stub>
Tensor run(
    Stub& stub, const ConvArguments& a, const Tensor& source, const Tensor& weight,
    const Tensor& bias, IntArrayRef sizes) {
  const ScalarType dtype = compute_dtype(source);
  Tensor result = at::empty(sizes, source.options().dtype(dtype));
  if (result.numel() > 0) {
    const Tensor x = operand(source, dtype), w = operand(weight, dtype), b = operand(bias, dtype);
    stub(
        x.device().type(), dtype, a.shape, x.const_data_ptr(), w.const_data_ptr(), data_of(b),
        result.mutable_data_ptr());
  }
  return at::methods::to(result, source.scalar_type());
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(conv_dtype_stub, &dtype_on_cpu)

Tensor conv_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  if (const auto result = tile_forward(a, input, weight, bias, sizes)) {
    return *result;
  }
  if (const auto result = rows_forward(a, input, weight, bias, sizes)) {
    return *result;
  }
  return run(conv_stub, a, input, weight, bias, sizes);
}

Tensor conv_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes) {
  if (const auto result = tile_adjoint(a, output, weight, bias, sizes)) {
    return *result;
  }
  if (const auto result = rows_adjoint(a, output, weight, bias, sizes)) {
    return *result;
  }
  return run(conv_adjoint_stub, a, output, weight, bias, sizes);
}

Tensor conv_weight(const ConvArguments& a, const Tensor& input, const Tensor& output) {
  if (input.numel() == 0 || output.numel() == 0) {
    return at::zeros(a.weight.sizes(), input.options());
  }
  if (const auto result = tile_weight(a, input, output)) {
    return *result;
  }
  if (const auto result = rows_weight(a, input, output)) {
    return *result;
  }
  const ScalarType dtype = compute_dtype(input);
  const Tensor x = operand(input, dtype), y = operand(output, dtype);
  Tensor result = at::empty(a.weight.sizes(), input.options().dtype(dtype));
  conv_weight_stub(
      x.device().type(), dtype, a.shape, x.const_data_ptr(), y.const_data_ptr(),
      result.mutable_data_ptr());
  return at::methods::to(result, input.scalar_type());
}

} // namespace at::native
