#include <ATen/ScalarValue.h>

namespace at {

void convert_value(void* target, ScalarType to, const void* source, ScalarType from) {
  switch (to) {
#define AT_STORE_CASE(type, name, number)                         \
  case ScalarType::name:                                          \
    *static_cast<type*>(target) = load_value<type>(source, from); \
    break;
    C10_FORALL_SCALAR_TYPES(AT_STORE_CASE)
#undef AT_STORE_CASE
    default:
      break;
  }
}

Scalar value_to_scalar(const void* source, ScalarType dtype) {
  if (c10::isComplexType(dtype)) {
    return Scalar(load_value<c10::complex<double>>(source, dtype));
  }
  if (c10::isFloatingType(dtype)) {
    return Scalar(load_value<double>(source, dtype));
  }
  if (dtype == ScalarType::Bool) {
    return Scalar(load_value<bool>(source, dtype));
  }
  if (dtype == ScalarType::UInt64) {
    return Scalar(load_value<uint64_t>(source, dtype));
  }
  return Scalar(load_value<int64_t>(source, dtype));
}

void store_value(void* target, ScalarType dtype, const Scalar& value) {
  if (value.isComplex()) {
    const auto held = value.toComplexDouble();
    convert_value(target, dtype, &held, ScalarType::ComplexDouble);
  } else if (value.isFloatingPoint()) {
    const double held = value.toDouble();
    convert_value(target, dtype, &held, ScalarType::Double);
  } else if (value.isBoolean()) {
    const bool held = value.toBool();
    convert_value(target, dtype, &held, ScalarType::Bool);
  } else if (value.type() == ScalarType::UInt64) {
    const uint64_t held = value.toUInt64();
    convert_value(target, dtype, &held, ScalarType::UInt64);
  } else {
    const int64_t held = value.toLong();
    convert_value(target, dtype, &held, ScalarType::Long);
  }
}

} // namespace at
