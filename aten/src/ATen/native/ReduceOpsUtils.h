#pragma once

// Dimensions and dtypes of reductions, used by their shape functions and kernels.

#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceDriver.h>
#include <c10/core/ScalarType.h>
#include <c10/util/DimVector.h>
#include <c10/util/OptionalArrayRef.h>

#include <optional>

namespace at::native {

// The dimensions to fold. nullopt means all, and so does an empty list unless `empty_is_none`.
DimMask make_dim_mask(OptionalIntArrayRef dims, int64_t ndim, bool empty_is_none = false);

DimMask one_dim_mask(int64_t dim, int64_t ndim);

c10::DimVector reduced_shape(const TensorBase& self, DimMask mask, bool keepdim);

// Declares output 0 of a structured reduction.
void resize_reduction(
    impl::MetaBase& meta, const Tensor& self, OptionalIntArrayRef dims, bool keepdim,
    ScalarType dtype, bool empty_is_none = false);

// Throws if no elements would be folded, for operators without an identity.
void zero_numel_check_dims(const TensorBase& self, int64_t dim, const char* name);
void zero_numel_check_dims(const TensorBase& self, IntArrayRef dims, const char* name);

// dtype= if given, else the dtype of out=, else the input's with integers promoted to int64.
ScalarType infer_sum_dtype(
    const TensorBase& self, std::optional<ScalarType> dtype, const TensorBase& result);

// Creates the result of a reduction that is not structured, on the device of `self`.
Tensor make_reduced(const Tensor& self, DimMask mask, bool keepdim, ScalarType dtype);

// A zero-dimensional tensor on the device of `self`.
Tensor make_scalar(const Tensor& self, ScalarType dtype);

// Raises PyTorch's error for a dtype without a kernel.
[[noreturn]] TORCH_API void unsupported_dtype(const char* kernel, ScalarType dtype);

inline const ReduceKernel& require_kernel(
    const ReduceKernel* kernel, const char* name, ScalarType dtype) {
  if (kernel == nullptr) {
    unsupported_dtype(name, dtype);
  }
  return *kernel;
}

} // namespace at::native
