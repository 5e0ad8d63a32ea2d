// Tensors that are conjugated or negated when their elements are read. conj() and the imaginary
// part of a conjugate are views that share memory; operators that do not know the keys Conjugate
// and Negative get a copy (ATen/MathBitsFallback.cpp).

#include <ATen/native/MathBits.h>

#include <ATen/TensorIterator.h>
#include <ATen/native/Copy.h>
#include <ATen/native/MakeView.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_conj_native.h>
#include <ATen/ops/_neg_view_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_native.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/is_conj_native.h>
#include <ATen/ops/is_neg_native.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/resolve_conj_native.h>
#include <ATen/ops/resolve_neg_native.h>

namespace at::native {

namespace {

Tensor same_memory(const Tensor& self) {
  return make_view(self, self.sizes(), self.strides(), self.storage_offset());
}

// Whether one kernel can read the source and write the target.
bool one_pass(const TensorBase& target, const TensorBase& source, bool conjugate) {
  const auto type = target.device().type();
  return target.device() == source.device() && target.scalar_type() == source.scalar_type() &&
      (conjugate ? conj_complex_stub.is_device_supported(type)
                 : neg_stub.is_device_supported(type));
}

void write_in_one_pass(const TensorBase& target, const TensorBase& source, bool conjugate) {
  TensorIterator iter = TensorIteratorConfig()
                            .add_borrowed_output(target)
                            .add_borrowed_const_input(source)
                            .resize_outputs(false)
                            .build();
  if (iter.numel() == 0) {
    return;
  }
  if (conjugate) {
    conj_complex_stub(iter.device_type(), iter);
  } else {
    neg_stub(iter.device_type(), iter);
  }
}

} // namespace

// ---- for kernels

Tensor without_math_bits(const TensorBase& tensor) {
  Tensor stored = same_memory(Tensor(tensor));
  stored._set_conj(false);
  stored._set_neg(false);
  return stored;
}

void copy_with_math_bits(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (target.scalar_type() != source.scalar_type() && has_math_bits(source)) {
    copy_expanded(target, at::clone(Tensor(source)), non_blocking);
    return;
  }
  Tensor to = without_math_bits(target);
  const Tensor from = without_math_bits(source);
  bool conjugate = target.is_conj() != source.is_conj();
  bool negate = target.is_neg() != source.is_neg();
  TORCH_CHECK_NOT_IMPLEMENTED(
      !negate || target.scalar_type() != kBool || target.numel() == 0,
      "\"neg_cpu\" not implemented for 'Bool'");
  if (!conjugate && !negate) {
    copy_expanded(to, from, non_blocking);
  } else if (one_pass(to, from, conjugate)) {
    write_in_one_pass(to, from, conjugate);
    (conjugate ? conjugate : negate) = false;
  } else {
    copy_expanded(to, from, non_blocking);
  }
  if (conjugate) {
    at::methods::conj_physical_(to);
  }
  if (negate) {
    at::neg_(to);
  }
}

// ---- operators

Tensor _conj(const Tensor& self) {
  TORCH_CHECK(
      self.is_complex(), "_conj: expected a complex tensor, but got one of dtype ",
      self.scalar_type());
  Tensor result = same_memory(self);
  result._set_conj(!self.is_conj());
  return result;
}

Tensor _neg_view(const Tensor& self) {
  Tensor result = same_memory(self);
  result._set_neg(!self.is_neg());
  return result;
}

Tensor conj(const Tensor& self) {
  return self.is_complex() ? at::_conj(self) : self;
}

Tensor resolve_conj(const Tensor& self) {
  return self.is_conj() ? at::clone(self) : self;
}

Tensor resolve_neg(const Tensor& self) {
  return self.is_neg() ? at::clone(self) : self;
}

bool is_conj(const Tensor& self) {
  return self.is_conj();
}

bool is_neg(const Tensor& self) {
  return self.is_neg();
}

} // namespace at::native
