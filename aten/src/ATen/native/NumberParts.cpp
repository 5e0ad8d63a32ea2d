// angle and frexp.

#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/NumberParts.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/angle_native.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/frexp_native.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>

namespace at::native {

DEFINE_DISPATCH(angle_stub);
DEFINE_DISPATCH(frexp_stub);

Tensor angle(const Tensor& self) {
  if (self.is_complex()) {
    const auto real_type = c10::toRealValueType(self.scalar_type());
    Tensor result = at::empty(self.sizes(), self.options().dtype(real_type));
    return at::atan2_out(result, at::imag(self), at::real(self));
  }
  TensorIterator iter;
  iter.build_unary_float_op(TensorBase(), self);
  angle_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

Tensor& angle_out(const Tensor& self, Tensor& out) {
  if (self.is_complex()) {
    return at::atan2_out(out, at::imag(self), at::real(self));
  }
  TensorIterator iter;
  iter.build_unary_float_op(out, self);
  angle_stub(iter.device_type(), iter);
  return out;
}

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  TORCH_CHECK(self.is_floating_point(), "torch.frexp() only supports floating-point dtypes");
  Tensor mantissa = at::empty_like(self);
  Tensor exponent = at::empty_like(self, self.options().dtype(kInt));
  if (!self.is_meta()) {
    frexp_stub(self.device().type(), self, mantissa, exponent);
  }
  return {mantissa, exponent};
}

std::tuple<Tensor&, Tensor&> frexp_out(const Tensor& self, Tensor& mantissa, Tensor& exponent) {
  TORCH_CHECK(
      mantissa.dtype() == self.dtype(), "torch.frexp() expects mantissa to have dtype ",
      self.dtype(), " but got ", mantissa.dtype());
  TORCH_CHECK(
      exponent.scalar_type() == kInt, "torch.frexp() expects exponent to have int dtype but got ",
      exponent.dtype());
  const auto [fractions, powers] = native::frexp(self);
  resize_output(mantissa, self.sizes());
  resize_output(exponent, self.sizes());
  at::methods::copy_(mantissa, fractions);
  at::methods::copy_(exponent, powers);
  return {mantissa, exponent};
}

} // namespace at::native
