// clamp, lerp, addcmul, addcdiv and where.

#include <ATen/native/TernaryOps.h>

#include <ATen/TensorIterator.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/MathBits.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/addcdiv_native.h>
#include <ATen/ops/addcmul_native.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/clip_native.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/lerp_native.h>
#include <ATen/ops/nonzero_numpy.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/to.h>
#include <ATen/ops/where.h>
#include <ATen/ops/where_native.h>

#include <cmath>

namespace at {

namespace {

void check_clampable(const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
}

// The bounds may promote an integral tensor, but not one that is modified in place.
void build_clamp(
    TensorIteratorBase& iter, const Tensor& out, const Tensor& self, const Scalar* low,
    const Scalar* high) {
  check_clampable(self);
  ScalarType dtype = self.scalar_type();
  if (!c10::isFloatingType(dtype)) {
    native::ResultTypeState state;
    state = native::update_result_type_state(self, state);
    for (const Scalar* bound : {low, high}) {
      if (bound != nullptr) {
        state = native::update_result_type_state(*bound, state);
      }
    }
    dtype = native::result_type(state);
    TORCH_CHECK(
        dtype == self.scalar_type() || !out.defined() || !out.is_same(self), "result type ", dtype,
        " can't be cast to the desired output type ", self.dtype());
  }
  if (dtype == self.scalar_type()) {
    iter.build_borrowing_unary_op(out, self);
  } else {
    iter.build_output_borrowing_argument_owning_unary_op(out, at::methods::to(self, dtype));
  }
}

void check_same_dtype(const Tensor& self, const Tensor& other, const char* name) {
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), "expected dtype ", self.dtype(), " for `", name,
      "` but got dtype ", other.dtype());
}

bool is_nan(const Scalar& value) {
  return value.isFloatingPoint() && std::isnan(value.toDouble());
}

} // namespace

namespace meta {

TORCH_META_FUNC(clamp)(const Tensor& self, OptionalScalarRef min, OptionalScalarRef max) {
  TORCH_CHECK(
      min.has_value() || max.has_value(),
      "torch.clamp: At least one of 'min' or 'max' must not be None");
  build_clamp(
      *this, maybe_get_output(), self, min ? &min.get() : nullptr, max ? &max.get() : nullptr);
}

TORCH_META_FUNC(clamp_min)(const Tensor& self, const Scalar& min) {
  build_clamp(*this, maybe_get_output(), self, &min, nullptr);
}

TORCH_META_FUNC(clamp_max)(const Tensor& self, const Scalar& max) {
  build_clamp(*this, maybe_get_output(), self, nullptr, &max);
}

TORCH_META_FUNC2(clamp, Tensor)(const Tensor& self, OptionalTensorRef min, OptionalTensorRef max) {
  TORCH_CHECK(
      min.has_value() || max.has_value(),
      "torch.clamp: At least one of 'min' or 'max' must not be None");
  check_clampable(self);
  if (min && max) {
    build_ternary_op(maybe_get_output(), self, *min, *max);
  } else {
    build_borrowing_binary_op(maybe_get_output(), self, min ? *min : *max);
  }
}

TORCH_META_FUNC2(clamp_min, Tensor)(const Tensor& self, const Tensor& min) {
  check_clampable(self);
  build_borrowing_binary_op(maybe_get_output(), self, min);
}

TORCH_META_FUNC2(clamp_max, Tensor)(const Tensor& self, const Tensor& max) {
  check_clampable(self);
  build_borrowing_binary_op(maybe_get_output(), self, max);
}

TORCH_META_FUNC2(lerp, Tensor)(const Tensor& self, const Tensor& end, const Tensor& weight) {
  check_same_dtype(self, end, "end");
  if (weight.dim() > 0) {
    check_same_dtype(self, weight, "weight");
  }
  build_ternary_op(maybe_get_output(), self, end, weight);
}

TORCH_META_FUNC2(lerp, Scalar)(const Tensor& self, const Tensor& end, const Scalar&) {
  check_same_dtype(self, end, "end");
  build_borrowing_binary_op(maybe_get_output(), self, end);
}

TORCH_META_FUNC(addcmul)
(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar&) {
  build_ternary_op(maybe_get_output(), self, tensor1, tensor2);
}

TORCH_META_FUNC(addcdiv)
(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar&) {
  TORCH_CHECK(
      !c10::isIntegralType(tensor1.scalar_type(), true) ||
          !c10::isIntegralType(tensor2.scalar_type(), true),
      "Integer division with addcdiv is no longer supported, and in a future  release "
      "addcdiv will perform a true division of tensor1 and tensor2. The "
      "historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
      "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
      "float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
      "* tensor1 / tensor2), for all dtypes.");
  build_ternary_op(maybe_get_output(), self, tensor1, tensor2);
}

} // namespace meta

namespace native {

DEFINE_DISPATCH(where_stub);
DEFINE_DISPATCH(clamp_stub);
DEFINE_DISPATCH(clamp_scalar_stub);
DEFINE_DISPATCH(clamp_min_scalar_stub);
DEFINE_DISPATCH(clamp_max_scalar_stub);
DEFINE_DISPATCH(addcmul_stub);
DEFINE_DISPATCH(addcdiv_stub);
DEFINE_DISPATCH(lerp_scalar_stub);
DEFINE_DISPATCH(lerp_tensor_stub);

TORCH_IMPL_FUNC(clamp_out)
(const Tensor&, OptionalScalarRef min, OptionalScalarRef max, const Tensor& out) {
  if ((min && is_nan(*min)) || (max && is_nan(*max))) {
    at::methods::fill_(out, std::numeric_limits<double>::quiet_NaN());
  } else if (min && max) {
    clamp_scalar_stub(device_type(), *this, *min, *max);
  } else if (min) {
    clamp_min_scalar_stub(device_type(), *this, *min);
  } else {
    clamp_max_scalar_stub(device_type(), *this, *max);
  }
}

TORCH_IMPL_FUNC(clamp_min_out)(const Tensor&, const Scalar& min, const Tensor& out) {
  if (is_nan(min)) {
    at::methods::fill_(out, min);
  } else {
    clamp_min_scalar_stub(device_type(), *this, min);
  }
}

TORCH_IMPL_FUNC(clamp_max_out)(const Tensor&, const Scalar& max, const Tensor& out) {
  if (is_nan(max)) {
    at::methods::fill_(out, max);
  } else {
    clamp_max_scalar_stub(device_type(), *this, max);
  }
}

TORCH_IMPL_FUNC(clamp_Tensor_out)
(const Tensor&, OptionalTensorRef min, OptionalTensorRef max, const Tensor&) {
  if (min && max) {
    clamp_stub(device_type(), *this);
  } else if (min) {
    maximum_stub(device_type(), *this);
  } else {
    minimum_stub(device_type(), *this);
  }
}

TORCH_IMPL_FUNC(clamp_min_Tensor_out)(const Tensor&, const Tensor&, const Tensor&) {
  maximum_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(clamp_max_Tensor_out)(const Tensor&, const Tensor&, const Tensor&) {
  minimum_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(lerp_Tensor)(const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lerp_tensor_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(lerp_Scalar)(const Tensor&, const Tensor&, const Scalar& weight, const Tensor&) {
  lerp_scalar_stub(device_type(), *this, weight);
}

TORCH_IMPL_FUNC(addcmul_out)
(const Tensor&, const Tensor&, const Tensor&, const Scalar& value, const Tensor&) {
  addcmul_stub(device_type(), *this, value);
}

TORCH_IMPL_FUNC(addcdiv_out)
(const Tensor&, const Tensor&, const Tensor&, const Scalar& value, const Tensor&) {
  addcdiv_stub(device_type(), *this, value);
}

// ---- where -----------------------------------------------------------------------------------

namespace {

Tensor as_condition(const Tensor& condition) {
  if (condition.scalar_type() == kByte) {
    TORCH_WARN(
        "where received a uint8 condition tensor. This behavior is deprecated and will be "
        "removed in a future version of PyTorch. Use a boolean condition instead.");
    return at::methods::to(condition, kBool);
  }
  TORCH_CHECK(
      condition.scalar_type() == kBool,
      "where expected condition to be a boolean tensor, but got a tensor with dtype ",
      condition.scalar_type());
  return condition;
}

const Scalar& in_dtype(const Scalar& number, ScalarType) {
  return number;
}
Tensor in_dtype(const Tensor& tensor, ScalarType dtype) {
  return tensor.scalar_type() == dtype ? tensor : at::methods::to(tensor, dtype);
}

template <typename A, typename B>
ScalarType common_dtype_of(const A& a, const B& b) {
  ResultTypeState state;
  state = update_result_type_state(a, state);
  return result_type(update_result_type_state(b, state));
}

template <typename A, typename B>
void select_into(
    TensorIterator& iter, const TensorBase& out, const Tensor& condition, const A& a, const B& b,
    ScalarType dtype) {
  const auto& left = in_dtype(a, dtype);
  const auto& right = in_dtype(b, dtype);
  if (condition.scalar_type() == kBool) {
    iter.build_where_op(out, condition, left, right, dtype);
    where_stub(iter.device_type(), iter);
  } else {
    const Tensor converted = as_condition(condition);
    iter.build_where_op(out, converted, left, right, dtype);
    where_stub(iter.device_type(), iter);
  }
}

// A number as an operand of where.self.
Tensor as_operand(const Scalar& number, const TensorBase& like) {
  Tensor result = at::scalar_tensor(number, like.options().dtype(number.type()));
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

const Tensor& as_operand(const Tensor& tensor, const TensorBase&) {
  return tensor;
}

// Whether where_stub works on the device; elsewhere the overloads with numbers call where.self.
bool has_own_kernel(const Tensor& condition) {
  return condition.is_meta() || where_stub.is_device_supported(condition.device().type());
}

template <typename A, typename B>
Tensor select(const Tensor& condition, const A& a, const B& b) {
  TensorIterator iter;
  select_into(iter, TensorBase(), condition, a, b, common_dtype_of(a, b));
  return Tensor(iter.take_output());
}

} // namespace

Tensor& where_self_out(
    const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
  const ScalarType dtype = common_dtype_of(self, other);
  TORCH_CHECK(
      out.scalar_type() == dtype, "Expected out type to be ", dtype, " but got ",
      out.scalar_type());
  TensorIterator iter;
  select_into(iter, out, condition, self, other, dtype);
  return out;
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  return select(condition, self, other);
}

namespace {

// Whether a graph or a subclass has to see where.self, or the memory does not hold the elements.
bool needs_operator(const Tensor& tensor) {
  return tensor.requires_grad() || tensor.unsafeGetTensorImpl()->is_python_dispatch() ||
      has_math_bits(tensor);
}

// With numbers: where.self has the derivative.
template <typename A, typename B>
Tensor select_numbers(const Tensor& condition, const A& a, const B& b, bool requires_grad) {
  if (requires_grad || !has_own_kernel(condition) ||
      condition.unsafeGetTensorImpl()->is_python_dispatch()) {
    return at::where(condition, as_operand(a, condition), as_operand(b, condition));
  }
  return select(condition, a, b);
}

} // namespace

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  return select_numbers(condition, self, other, needs_operator(other));
}

Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  return select_numbers(condition, self, other, needs_operator(self));
}

Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
  return select_numbers(condition, self, other, /*requires_grad=*/false);
}

std::vector<Tensor> where(const Tensor& condition) {
  return at::nonzero_numpy(condition);
}

// ---- clip: another name of clamp ---------------------------------------------------------------

using OptionalScalar = std::optional<Scalar>;
using OptionalTensor = std::optional<Tensor>;

Tensor clip(const Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  return at::clamp(self, min, max);
}
Tensor clip(const Tensor& self, const OptionalTensor& min, const OptionalTensor& max) {
  return at::clamp(self, min, max);
}
Tensor& clip_(Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  return at::methods::clamp_(self, min, max);
}
Tensor& clip_(Tensor& self, const OptionalTensor& min, const OptionalTensor& max) {
  return at::methods::clamp_(self, min, max);
}
Tensor& clip_out(
    const Tensor& self, const OptionalScalar& min, const OptionalScalar& max, Tensor& result) {
  return at::clamp_out(result, self, min, max);
}
Tensor& clip_out(
    const Tensor& self, const OptionalTensor& min, const OptionalTensor& max, Tensor& result) {
  return at::clamp_out(result, self, min, max);
}

} // namespace native
} // namespace at
