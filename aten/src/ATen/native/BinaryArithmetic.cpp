// add, sub, rsub, mul and the divisions. The loops of add are generated; sub adds -alpha times.

#include <ATen/TensorIterator.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/floor_divide_native.h>
#include <ATen/ops/mul_native.h>
#include <ATen/ops/remainder_native.h>
#include <ATen/ops/rsub_native.h>
#include <ATen/ops/sub_native.h>

#include <string_view>

namespace at {
namespace {

void check_alpha(ScalarType dtype, const Scalar& alpha) {
  TORCH_CHECK(
      !alpha.isBoolean() || dtype == ScalarType::Bool,
      "Boolean alpha only supported for Boolean results.");
  TORCH_CHECK(
      c10::isFloatingType(dtype) || c10::isComplexType(dtype) || alpha.isIntegral(true),
      "For integral input tensors, argument alpha must not be a floating point number.");
  TORCH_CHECK(
      c10::isComplexType(dtype) || !alpha.isComplex(),
      "For non-complex input tensors, argument alpha must not be a complex number.");
}

void check_subtraction(bool self_is_bool, bool other_is_bool) {
  TORCH_CHECK(
      !self_is_bool || !other_is_bool,
      "Subtraction, the `-` operator, with two bool tensors is not supported. "
      "Use the `^` or `logical_xor()` operator instead.");
  TORCH_CHECK(
      !self_is_bool && !other_is_bool,
      "Subtraction, the `-` operator, with a bool tensor is not supported. "
      "If you are trying to invert a mask, use the `~` or `logical_not()` operator "
      "instead.");
}

Scalar negated(const Scalar& alpha) {
  return alpha.isIntegral(/*includeBool=*/true) ? Scalar(-alpha.to<int64_t>()) : -alpha;
}

bool is_bool(const Tensor& tensor) {
  return tensor.scalar_type() == ScalarType::Bool;
}

enum class Rounding { None, Floor, Trunc };

Rounding parse_rounding(std::optional<c10::string_view> mode) {
  if (!mode) {
    return Rounding::None;
  }
  const std::string_view name(mode->data(), mode->size());
  TORCH_CHECK(
      name == "trunc" || name == "floor",
      "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", name, "'");
  return name == "floor" ? Rounding::Floor : Rounding::Trunc;
}

template <typename A, typename B>
void build_division(
    TensorIteratorBase& iter, const TensorBase& out, const A& self, const B& other,
    Rounding rounding) {
  if (rounding == Rounding::None) {
    iter.build_binary_float_op(out, self, other);
  } else {
    iter.build_binary_op(out, self, other);
  }
}

void divide(TensorIteratorBase& iter, Rounding rounding) {
  using namespace native;
  switch (rounding) {
    case Rounding::None:
      div_true_stub(iter.device_type(), iter);
      break;
    case Rounding::Floor:
      div_floor_stub(iter.device_type(), iter);
      break;
    case Rounding::Trunc:
      div_trunc_stub(iter.device_type(), iter);
      break;
  }
}

} // namespace

namespace meta {

TORCH_META_FUNC2(add, Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
  check_alpha(common_dtype(), alpha);
}

TORCH_META_FUNC2(sub, Tensor)(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check_subtraction(is_bool(self), is_bool(other));
  build_borrowing_binary_op(maybe_get_output(), self, other);
  check_alpha(common_dtype(), alpha);
}

TORCH_META_FUNC2(mul, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
}

TORCH_META_FUNC2(div, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}

TORCH_META_FUNC2(div, Tensor_mode)
(const Tensor& self, const Tensor& other, std::optional<c10::string_view> rounding_mode) {
  build_division(*this, maybe_get_output(), self, other, parse_rounding(rounding_mode));
}

TORCH_META_FUNC2(remainder, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
}

} // namespace meta

namespace native {

DEFINE_DISPATCH(mul_stub);
DEFINE_DISPATCH(div_true_stub);
DEFINE_DISPATCH(div_floor_stub);
DEFINE_DISPATCH(div_trunc_stub);
DEFINE_DISPATCH(remainder_stub);

TORCH_IMPL_FUNC(sub_out)(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) {
  add_stub(device_type(), *this, negated(alpha));
}

TORCH_IMPL_FUNC(mul_out)(const Tensor&, const Tensor&, const Tensor&) {
  mul_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(div_out)(const Tensor&, const Tensor&, const Tensor&) {
  div_true_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(div_out_mode)
(const Tensor&, const Tensor&, std::optional<c10::string_view> rounding_mode, const Tensor&) {
  divide(*this, parse_rounding(rounding_mode));
}

TORCH_IMPL_FUNC(remainder_out)(const Tensor&, const Tensor&, const Tensor&) {
  remainder_stub(device_type(), *this);
}

// ---- a number as the other operand: it never becomes a tensor -------------------------------

namespace {

void run_add(TensorIterator& iter, const Scalar& alpha) {
  check_alpha(iter.common_dtype(), alpha);
  add_stub(iter.device_type(), iter, alpha);
}

void run_sub(TensorIterator& iter, const Scalar& alpha) {
  check_alpha(iter.common_dtype(), alpha);
  add_stub(iter.device_type(), iter, negated(alpha));
}

Tensor result_of(TensorIterator& iter) {
  return Tensor(iter.take_output());
}

} // namespace

Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  run_add(iter, alpha);
  return result_of(iter);
}

Tensor& add_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  TensorIterator iter;
  iter.build_binary_op(self, self, other);
  run_add(iter, alpha);
  return self;
}

Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  check_subtraction(is_bool(self), other.isBoolean());
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  run_sub(iter, alpha);
  return result_of(iter);
}

Tensor& sub_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  check_subtraction(is_bool(self), other.isBoolean());
  TensorIterator iter;
  iter.build_binary_op(self, self, other);
  run_sub(iter, alpha);
  return self;
}

Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check_subtraction(is_bool(other), is_bool(self));
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), other, self);
  run_sub(iter, alpha);
  return result_of(iter);
}

Tensor rsub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  check_subtraction(other.isBoolean(), is_bool(self));
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), other, self);
  run_sub(iter, alpha);
  return result_of(iter);
}

Tensor mul(const Tensor& self, const Scalar& other) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  mul_stub(iter.device_type(), iter);
  return result_of(iter);
}

Tensor& mul_(Tensor& self, const Scalar& other) {
  TensorIterator iter;
  iter.build_binary_op(self, self, other);
  mul_stub(iter.device_type(), iter);
  return self;
}

Tensor div(const Tensor& self, const Scalar& other, std::optional<c10::string_view> mode) {
  const Rounding rounding = parse_rounding(mode);
  TensorIterator iter;
  build_division(iter, TensorBase(), self, other, rounding);
  divide(iter, rounding);
  return result_of(iter);
}

Tensor& div_(Tensor& self, const Scalar& other, std::optional<c10::string_view> mode) {
  const Rounding rounding = parse_rounding(mode);
  TensorIterator iter;
  build_division(iter, self, self, other, rounding);
  divide(iter, rounding);
  return self;
}

Tensor div(const Tensor& self, const Scalar& other) {
  return div(self, other, std::nullopt);
}

Tensor& div_(Tensor& self, const Scalar& other) {
  return div_(self, other, std::nullopt);
}

// ---- floor_divide and remainder --------------------------------------------------------------

Tensor floor_divide(const Tensor& self, const Tensor& other) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  div_floor_stub(iter.device_type(), iter);
  return result_of(iter);
}

Tensor& floor_divide_out(const Tensor& self, const Tensor& other, Tensor& result) {
  TensorIterator iter;
  iter.build_binary_op(result, self, other);
  div_floor_stub(iter.device_type(), iter);
  return result;
}

Tensor& floor_divide_(Tensor& self, const Tensor& other) {
  return floor_divide_out(self, other, self);
}

Tensor floor_divide(const Tensor& self, const Scalar& other) {
  return div(self, other, c10::string_view("floor"));
}

Tensor& floor_divide_(Tensor& self, const Scalar& other) {
  return div_(self, other, c10::string_view("floor"));
}

Tensor remainder(const Tensor& self, const Scalar& other) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  remainder_stub(iter.device_type(), iter);
  return result_of(iter);
}

Tensor& remainder_out(const Tensor& self, const Scalar& other, Tensor& result) {
  TensorIterator iter;
  iter.build_binary_op(result, self, other);
  remainder_stub(iter.device_type(), iter);
  return result;
}

Tensor& remainder_(Tensor& self, const Scalar& other) {
  return remainder_out(self, other, self);
}

Tensor remainder(const Scalar& self, const Tensor& other) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, other);
  remainder_stub(iter.device_type(), iter);
  return result_of(iter);
}

} // namespace native
} // namespace at
