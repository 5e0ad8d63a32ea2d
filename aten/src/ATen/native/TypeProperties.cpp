#include <ATen/native/TypeProperties.h>

#include <c10/core/DefaultDtype.h>

namespace at::native {
namespace {

ScalarType promote_known(ScalarType a, ScalarType b) {
  if (a == ScalarType::Undefined) {
    return b;
  }
  return b == ScalarType::Undefined ? a : c10::promoteTypes(a, b);
}

// A higher class wins unless the lower class has a higher category.
ScalarType combine_categories(ScalarType higher, ScalarType lower) {
  if (c10::isComplexType(higher)) {
    return higher;
  }
  if (c10::isFloatingType(higher)) {
    // A complex operand of a lower class takes the precision of the higher class.
    return c10::isComplexType(lower) ? c10::toComplexType(higher) : higher;
  }
  if (higher == ScalarType::Bool || c10::isFloatingType(lower) || c10::isComplexType(lower)) {
    return promote_known(higher, lower);
  }
  return higher != ScalarType::Undefined ? higher : lower;
}

ScalarType default_dtype_for(ScalarType dtype) {
  if (c10::isComplexType(dtype)) {
    return c10::typeMetaToScalarType(c10::get_default_complex_dtype());
  }
  if (c10::isFloatingType(dtype)) {
    return c10::typeMetaToScalarType(c10::get_default_dtype());
  }
  return dtype;
}

} // namespace

ResultTypeState update_result_type_state(const TensorBase& tensor, const ResultTypeState& state) {
  if (!tensor.defined()) {
    return state;
  }
  ResultTypeState result = state;
  ScalarType dtype = tensor.scalar_type();
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    result.wrappedResult = promote_known(result.wrappedResult, default_dtype_for(dtype));
  } else if (tensor.dim() > 0) {
    result.dimResult = promote_known(result.dimResult, dtype);
  } else {
    result.zeroResult = promote_known(result.zeroResult, dtype);
  }
  return result;
}

ResultTypeState update_result_type_state(const Scalar& scalar, const ResultTypeState& state) {
  ResultTypeState result = state;
  result.wrappedResult = promote_known(result.wrappedResult, default_dtype_for(scalar.type()));
  return result;
}

ScalarType result_type(const ResultTypeState& state) {
  return combine_categories(
      state.dimResult, combine_categories(state.zeroResult, state.wrappedResult));
}

} // namespace at::native
