#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/ElementaryMath.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/view_as_real.h>

#include <limits>

namespace at::native {

DEFINE_DISPATCH(nan_to_num_stub);

Tensor& nan_to_num_out(
    const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
    std::optional<double> neginf, Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "nan_to_num: dtype of out: ", result.scalar_type(),
      " should be same as input: ", self.scalar_type());
  if (self.is_complex()) {
    resize_output(result, self.sizes());
    Tensor parts = at::view_as_real(result);
    native::nan_to_num_out(at::view_as_real(self), nan, posinf, neginf, parts);
    return result;
  }
  TensorIterator iter;
  iter.build_unary_op(result, self);
  if (self.is_meta()) {
    return result;
  }
  if (c10::isIntegralType(self.scalar_type(), /*includeBool=*/true)) {
    return at::methods::copy_(result, self);
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "nan_to_num", [&] {
    // By default zero and the limits of the dtype. Numbers are rounded to it.
    using Limits = std::numeric_limits<scalar_t>;
    const auto rounded = [](double x) { return static_cast<double>(static_cast<scalar_t>(x)); };
    nan_to_num_stub.on_host(
        iter, rounded(nan.value_or(0)),
        posinf ? rounded(*posinf) : static_cast<double>(Limits::max()),
        neginf ? rounded(*neginf) : static_cast<double>(Limits::lowest()));
  });
  return result;
}

Tensor nan_to_num(
    const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
    std::optional<double> neginf) {
  Tensor result = at::empty_like(self);
  return at::nan_to_num_out(result, self, nan, posinf, neginf);
}

Tensor& nan_to_num_(
    Tensor& self, std::optional<double> nan, std::optional<double> posinf,
    std::optional<double> neginf) {
  return at::nan_to_num_out(self, self, nan, posinf, neginf);
}

} // namespace at::native
