#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/view_as_real.h>

#include <cmath>
#include <limits>

namespace at::native {
namespace {

// By default zero and the limits of the dtype.
template <typename T>
scalar_math::Replacements<T> replacements(
    std::optional<double> nan, std::optional<double> above, std::optional<double> below) {
  return {
      static_cast<T>(nan.value_or(0)),
      above ? static_cast<T>(*above) : std::numeric_limits<T>::max(),
      below ? static_cast<T>(*below) : std::numeric_limits<T>::lowest()};
}

} // namespace

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
    const auto replace = replacements<scalar_t>(nan, posinf, neginf);
    cpu_kernel(iter, [replace](scalar_t x) -> scalar_t { return replace(x); });
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
