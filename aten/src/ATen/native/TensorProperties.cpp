// Queries about a tensor that need no data, and the type promotion functions of Python.

#include <ATen/core/Tensor.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/can_cast_native.h>
#include <ATen/ops/dim_native.h>
#include <ATen/ops/is_complex_native.h>
#include <ATen/ops/is_floating_point_native.h>
#include <ATen/ops/is_nonzero_native.h>
#include <ATen/ops/is_same_size_native.h>
#include <ATen/ops/is_signed_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/numel_native.h>
#include <ATen/ops/promote_types_native.h>
#include <ATen/ops/result_type_native.h>
#include <ATen/ops/size_native.h>
#include <ATen/ops/stride_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/type_as_native.h>

namespace at::native {

bool is_complex(const Tensor& self) {
  return c10::isComplexType(self.scalar_type());
}

bool is_floating_point(const Tensor& self) {
  return c10::isFloatingType(self.scalar_type());
}

bool is_signed(const Tensor& self) {
  return c10::isSignedType(self.scalar_type());
}

bool is_same_size(const Tensor& self, const Tensor& other) {
  return self.sizes() == other.sizes();
}

bool is_nonzero(const Tensor& self) {
  const int64_t count = self.numel();
  TORCH_CHECK(count != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(count < 2, "Boolean value of Tensor with more than one value is ambiguous");
  const Scalar value = at::methods::item(self);
  if (value.isFloatingPoint()) {
    return value.to<double>() != 0;
  }
  if (value.isComplex()) {
    return value.to<c10::complex<double>>() != c10::complex<double>(0, 0);
  }
  return value.isBoolean() ? value.to<bool>() : value.to<int64_t>() != 0;
}

int64_t size(const Tensor& self, int64_t dim) {
  return self.size(dim);
}

int64_t stride(const Tensor& self, int64_t dim) {
  return self.stride(dim);
}

int64_t numel(const Tensor& self) {
  return self.numel();
}

int64_t dim(const Tensor& self) {
  return self.dim();
}

Tensor type_as(const Tensor& self, const Tensor& other) {
  return at::methods::to(self, other.options());
}

ScalarType result_type(const Tensor& tensor, const Tensor& other) {
  ResultTypeState state = update_result_type_state(tensor, {});
  return result_type(update_result_type_state(other, state));
}

ScalarType result_type(const Tensor& tensor, const Scalar& other) {
  ResultTypeState state = update_result_type_state(tensor, {});
  return result_type(update_result_type_state(other, state));
}

ScalarType result_type(const Scalar& scalar, const Tensor& tensor) {
  return result_type(tensor, scalar);
}

ScalarType result_type(const Scalar& scalar1, const Scalar& scalar2) {
  ResultTypeState state = update_result_type_state(scalar1, {});
  return result_type(update_result_type_state(scalar2, state));
}

bool can_cast(ScalarType from, ScalarType to) {
  return c10::canCast(from, to);
}

ScalarType promote_types(ScalarType type1, ScalarType type2) {
  return c10::promoteTypes(type1, type2);
}

} // namespace at::native
