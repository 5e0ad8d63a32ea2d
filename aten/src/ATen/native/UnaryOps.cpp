#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/UnaryOps.h>

#include <ATen/TensorIterator.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/ops/abs_native.h>
#include <ATen/ops/bitwise_not_native.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/ceil_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/cos_native.h>
#include <ATen/ops/erf_native.h>
#include <ATen/ops/exp_native.h>
#include <ATen/ops/expm1_native.h>
#include <ATen/ops/floor_native.h>
#include <ATen/ops/gelu_native.h>
#include <ATen/ops/isfinite_native.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isinf_native.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/isnan_native.h>
#include <ATen/ops/log1p_native.h>
#include <ATen/ops/log_native.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/neg_native.h>
#include <ATen/ops/positive_native.h>
#include <ATen/ops/reciprocal_native.h>
#include <ATen/ops/relu_native.h>
#include <ATen/ops/round_native.h>
#include <ATen/ops/rsqrt_native.h>
#include <ATen/ops/sigmoid_native.h>
#include <ATen/ops/sign_native.h>
#include <ATen/ops/sin_native.h>
#include <ATen/ops/sqrt_native.h>
#include <ATen/ops/tanh_native.h>
#include <ATen/ops/trunc_native.h>

namespace at::meta {

#define AT_UNARY_FLOAT_META(op)                               \
  TORCH_META_FUNC(op)(const Tensor& self) {                   \
    build_borrowing_unary_float_op(maybe_get_output(), self); \
  }
AT_UNARY_FLOAT_META(exp)
AT_UNARY_FLOAT_META(expm1)
AT_UNARY_FLOAT_META(log)
AT_UNARY_FLOAT_META(log1p)
AT_UNARY_FLOAT_META(sqrt)
AT_UNARY_FLOAT_META(rsqrt)
AT_UNARY_FLOAT_META(reciprocal)
AT_UNARY_FLOAT_META(sin)
AT_UNARY_FLOAT_META(cos)
AT_UNARY_FLOAT_META(tanh)
AT_UNARY_FLOAT_META(sigmoid)
AT_UNARY_FLOAT_META(erf)
#undef AT_UNARY_FLOAT_META

#define AT_ROUNDING_META(op)                                                                     \
  TORCH_META_FUNC(op)(const Tensor& self) {                                                      \
    TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), #op " is not supported for complex inputs"); \
    build_borrowing_unary_op(maybe_get_output(), self);                                          \
  }
AT_ROUNDING_META(floor)
AT_ROUNDING_META(ceil)
AT_ROUNDING_META(trunc)
#undef AT_ROUNDING_META

TORCH_META_FUNC(round)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC2(round, decimals)(const Tensor& self, int64_t) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(neg)(const Tensor& self) {
  TORCH_CHECK(
      self.scalar_type() != kBool,
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
      "to invert a mask, use the `~` or `logical_not()` operator instead.");
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(sign)(const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(),
      "Unlike NumPy, torch.sign is not intended to support complex "
      "numbers. Please use torch.sgn instead.");
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(bitwise_not)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(gelu)(const Tensor& self, c10::string_view) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

} // namespace at::meta

namespace at::native {

#define AT_UNARY_IMPL(op)                                   \
  DEFINE_DISPATCH(op##_stub);                               \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&) { \
    op##_stub(device_type(), *this);                        \
  }
AT_UNARY_IMPL(exp)
AT_UNARY_IMPL(expm1)
AT_UNARY_IMPL(log)
AT_UNARY_IMPL(log1p)
AT_UNARY_IMPL(sqrt)
AT_UNARY_IMPL(rsqrt)
AT_UNARY_IMPL(reciprocal)
AT_UNARY_IMPL(sin)
AT_UNARY_IMPL(cos)
AT_UNARY_IMPL(tanh)
AT_UNARY_IMPL(sigmoid)
AT_UNARY_IMPL(erf)
AT_UNARY_IMPL(neg)
AT_UNARY_IMPL(sign)
AT_UNARY_IMPL(bitwise_not)
#undef AT_UNARY_IMPL

// Rounding does not change integers.
#define AT_ROUNDING_IMPL(op)                                         \
  DEFINE_DISPATCH(op##_stub);                                        \
  TORCH_IMPL_FUNC(op##_out)(const Tensor& self, const Tensor& out) { \
    if (c10::isIntegralType(self.scalar_type(), false)) {            \
      const AutoDispatchBelowADInplaceOrView uncounted;              \
      at::methods::copy_(out, self);                                 \
    } else {                                                         \
      op##_stub(device_type(), *this);                               \
    }                                                                \
  }
AT_ROUNDING_IMPL(floor)
AT_ROUNDING_IMPL(ceil)
AT_ROUNDING_IMPL(trunc)
AT_ROUNDING_IMPL(round)
#undef AT_ROUNDING_IMPL

DEFINE_DISPATCH(round_decimals_stub);
TORCH_IMPL_FUNC(round_decimals_out)(const Tensor&, int64_t decimals, const Tensor&) {
  if (decimals == 0) {
    round_stub(device_type(), *this);
  } else {
    round_decimals_stub(device_type(), *this, decimals);
  }
}

DEFINE_DISPATCH(gelu_stub);
TORCH_IMPL_FUNC(gelu_out_cpu)(const Tensor&, c10::string_view approximate, const Tensor&) {
  TORCH_CHECK(
      approximate == "none" || approximate == "tanh",
      "approximate argument must be either none or tanh.");
  gelu_stub(device_type(), *this, approximate == "tanh");
}

// ---- abs -------------------------------------------------------------------------------------

DEFINE_DISPATCH(abs_stub);
DEFINE_DISPATCH(abs_complex_stub);

Tensor& abs_out(const Tensor& self, Tensor& out) {
  TensorIterator iter;
  if (!self.is_complex()) {
    iter.build_unary_op(out, self);
    abs_stub(iter.device_type(), iter);
    return out;
  }
  const auto real = c10::toRealValueType(self.scalar_type());
  TORCH_CHECK(
      !out.is_complex() || out.scalar_type() == self.scalar_type(), "Found dtype ",
      out.scalar_type(), " but expected ", self.scalar_type());
  TORCH_CHECK(
      c10::canCast(real, out.scalar_type()), "result type ", real,
      " can't be cast to the desired output type ", out.scalar_type());
  auto complex_iter = TensorIteratorConfig()
                          .add_output(out)
                          .add_const_input(self)
                          .check_all_same_dtype(false)
                          .promote_inputs_to_common_dtype(true)
                          .cast_common_dtype_to_outputs(true)
                          .declare_static_dtype(real)
                          .build();
  abs_complex_stub(complex_iter.device_type(), complex_iter);
  return out;
}

Tensor abs(const Tensor& self) {
  if (!self.is_complex()) {
    TensorIterator iter;
    iter.build_unary_op(TensorBase(), self);
    abs_stub(iter.device_type(), iter);
    return Tensor(iter.take_output());
  }
  const TensorBase undefined;
  auto iter = TensorIteratorConfig()
                  .add_output(undefined)
                  .add_const_input(self)
                  .check_all_same_dtype(false)
                  .promote_inputs_to_common_dtype(true)
                  .declare_static_dtype(c10::toRealValueType(self.scalar_type()))
                  .build();
  abs_complex_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

Tensor& abs_(Tensor& self) {
  TORCH_CHECK(!self.is_complex(), "In-place abs is not supported for complex tensors.");
  return abs_out(self, self);
}

// ---- bool results ----------------------------------------------------------------------------

DEFINE_DISPATCH(logical_not_stub);
DEFINE_DISPATCH(float_class_stub);

Tensor logical_not(const Tensor& self) {
  TensorIterator iter;
  iter.build_unary_force_boolean_op(TensorBase(), self);
  logical_not_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

Tensor& logical_not_out(const Tensor& self, Tensor& out) {
  TensorIterator iter;
  iter.build_unary_force_boolean_op(out, self);
  logical_not_stub(iter.device_type(), iter);
  return out;
}

Tensor& logical_not_(Tensor& self) {
  return at::native::logical_not_out(self, self);
}

namespace {

Tensor classify(const Tensor& self, FloatClass kind) {
  TensorIterator iter;
  iter.build_unary_force_boolean_op(TensorBase(), self);
  float_class_stub(iter.device_type(), iter, kind);
  return Tensor(iter.take_output());
}

} // namespace

Tensor isnan(const Tensor& self) {
  return classify(self, FloatClass::NaN);
}
Tensor isinf(const Tensor& self) {
  return classify(self, FloatClass::Infinite);
}
Tensor isfinite(const Tensor& self) {
  const bool has_kernel =
      self.is_meta() || float_class_stub.is_device_supported(self.device().type());
  if (has_kernel && !self.unsafeGetTensorImpl()->is_python_dispatch()) {
    return classify(self, FloatClass::Finite);
  }
  return at::logical_not(at::bitwise_or(at::isnan(self), at::isinf(self)));
}

// ---- other operators -------------------------------------------------------------------------

Tensor positive(const Tensor& self) {
  TORCH_CHECK(self.scalar_type() != kBool, "The `+` operator, on a bool tensor is not supported.");
  return self;
}

namespace {

void relu_into(TensorIterator& iter, const TensorBase& out, const Tensor& self) {
  TORCH_CHECK(self.scalar_type() != kBool, "Boolean inputs not supported for relu");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
  iter.build_unary_op(out, self);
  clamp_min_scalar_stub(iter.device_type(), iter, Scalar(0));
}

} // namespace

Tensor relu(const Tensor& self) {
  TensorIterator iter;
  relu_into(iter, TensorBase(), self);
  return Tensor(iter.take_output());
}

Tensor& relu_(Tensor& self) {
  TensorIterator iter;
  relu_into(iter, self, self);
  return self;
}

} // namespace at::native
