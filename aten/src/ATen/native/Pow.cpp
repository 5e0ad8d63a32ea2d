#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/pow_native.h>
#include <ATen/ops/to.h>

namespace at {

namespace {

void check_integer_power(ScalarType base, const Scalar& exponent) {
  TORCH_CHECK(
      !c10::isIntegralType(base, true) || !exponent.isIntegral(true) || exponent.toLong() >= 0,
      "Integers to negative integer powers are not allowed.");
}

bool equals(const Scalar& value, int64_t number) {
  return value.isComplex()      ? value.toComplexDouble() == c10::complex<double>(number)
      : value.isFloatingPoint() ? value.toDouble() == static_cast<double>(number)
                                : value.toLong() == number;
}

template <typename A, typename B>
ScalarType promoted(const A& a, const B& b) {
  native::ResultTypeState state;
  state = native::update_result_type_state(a, state);
  return native::result_type(native::update_result_type_state(b, state));
}

} // namespace

namespace meta {

TORCH_META_FUNC2(pow, Tensor_Tensor)(const Tensor& self, const Tensor& exponent) {
  build_borrowing_binary_op(maybe_get_output(), self, exponent);
}

TORCH_META_FUNC2(pow, Tensor_Scalar)(const Tensor& self, const Scalar& exponent) {
  check_integer_power(self.scalar_type(), exponent);
  const ScalarType dtype = promoted(self, exponent);
  const Tensor& out = maybe_get_output();
  if (out.defined() && out.scalar_type() != dtype) {
    build(TensorIteratorConfig()
              .add_output(out)
              .add_owned_const_input(at::methods::to(self, dtype))
              .promote_inputs_to_common_dtype(true)
              .cast_common_dtype_to_outputs(true)
              .enforce_safe_casting_to_output(true));
    return;
  }
  if (dtype == self.scalar_type()) {
    build_borrowing_unary_op(out, self);
    return;
  }
  build_output_borrowing_argument_owning_unary_op(out, at::methods::to(self, dtype));
}

TORCH_META_FUNC2(pow, Scalar)(const Scalar& self, const Tensor& exponent) {
  // The kernel converts to the dtype of a given output.
  const Tensor& out = maybe_get_output();
  const ScalarType dtype = out.defined() ? out.scalar_type() : promoted(self, exponent);
  set_output_raw_strided(0, exponent.sizes(), {}, exponent.options().dtype(dtype));
}

} // namespace meta

namespace native {

DEFINE_DISPATCH(pow_tensor_tensor_stub);
DEFINE_DISPATCH(pow_tensor_scalar_stub);

TORCH_IMPL_FUNC(pow_Tensor_Tensor_out)(const Tensor&, const Tensor&, const Tensor&) {
  pow_tensor_tensor_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(pow_Tensor_Scalar_out)
(const Tensor& self, const Scalar& exponent, const Tensor& out) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  if (equals(exponent, 0)) {
    at::methods::fill_(out, 1);
  } else if (equals(exponent, 1)) {
    at::methods::copy_(out, self);
  } else {
    pow_tensor_scalar_stub(device_type(), *this, exponent);
  }
}

TORCH_IMPL_FUNC(pow_Scalar_out)(const Scalar& self, const Tensor& exponent, const Tensor& out) {
  if (!self.isBoolean() && equals(self, 1)) {
    const AutoDispatchBelowADInplaceOrView uncounted;
    at::methods::fill_(out, 1);
    return;
  }
  TensorIterator iter;
  iter.build_binary_op(out, self, exponent);
  pow_tensor_tensor_stub(iter.device_type(), iter);
}

} // namespace native
} // namespace at
