// sgn, and conjugation in new memory. MathBits.cpp has the views.

#include <ATen/TensorIterator.h>
#include <ATen/native/MathBits.h>
#include <ATen/native/Resize.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/_conj_physical.h>
#include <ATen/ops/_conj_physical_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/conj_physical_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/sgn_native.h>

namespace at::meta {

TORCH_META_FUNC(sgn)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(sgn_complex_stub);
DEFINE_DISPATCH(conj_complex_stub);

TORCH_IMPL_FUNC(sgn_out)(const Tensor& self, const Tensor&) {
  if (self.is_complex()) {
    sgn_complex_stub(device_type(), *this);
  } else {
    sign_stub(device_type(), *this);
  }
}

Tensor conj_physical(const Tensor& self) {
  return self.is_complex() ? at::_conj_physical(self) : self;
}

Tensor _conj_physical(const Tensor& self) {
  if (self.is_conj()) { // twice is not at all
    return at::clone(without_math_bits(self));
  }
  if (!self.is_complex()) {
    return at::clone(self);
  }
  TensorIterator iter;
  iter.build_unary_op(TensorBase(), self);
  conj_complex_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

Tensor& conj_physical_out(const Tensor& self, Tensor& out) {
  if (!self.is_complex()) {
    TORCH_CHECK(
        out.scalar_type() == self.scalar_type(), "Found dtype ", out.scalar_type(),
        " but expected ", self.scalar_type());
    resize_output(out, self.sizes());
    return at::methods::copy_(out, self);
  }
  TensorIterator iter;
  iter.build_unary_op(out, self);
  conj_complex_stub(iter.device_type(), iter);
  return out;
}

// What a conjugate view stands for is conjugated where its memory is.
Tensor& conj_physical_(Tensor& self) {
  if (self.is_conj()) {
    Tensor stored = without_math_bits(self);
    at::native::conj_physical_out(stored, stored);
  } else if (self.is_complex()) {
    at::native::conj_physical_out(self, self);
  }
  return self;
}

} // namespace at::native
