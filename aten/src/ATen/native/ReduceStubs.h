#pragma once

// The flat kernels of each reduction, by input dtype. A stub returns null for a dtype that the
// operator does not support.

#include <ATen/native/DispatchStub.h>
#include <ATen/native/ReduceDriver.h>
#include <c10/core/ScalarType.h>

namespace at::native {

using reduce_kernel_fn = const ReduceKernel* (*)(c10::ScalarType);

DECLARE_DISPATCH(reduce_kernel_fn, sum_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, nansum_kernels); // floating-point numbers only
DECLARE_DISPATCH(reduce_kernel_fn, prod_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, amax_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, amin_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, argmax_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, argmin_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, nonzero_kernels);
DECLARE_DISPATCH(reduce_kernel_fn, moments_kernels);

enum class NormKind : uint8_t { Zero, One, Two, Max, Min, P };
using norm_kernel_fn = const ReduceKernel* (*)(c10::ScalarType, NormKind);
DECLARE_DISPATCH(norm_kernel_fn, norm_kernels);

// How the nonzero kernels count; passed as ReduceKernel's `param`.
inline constexpr double kCountNonzero = 0;
inline constexpr double kAnyNonzero = 1; // counts, and may stop at the first nonzero element
inline constexpr double kAnyZero = 2;    // counts zeros, and may stop at the first zero

// Accumulator of the moments kernels.
struct MomentsAcc {
  double mean;
  double m2;
  int64_t n;
};

// Accumulator of the argmax and argmin kernels: the extreme value and its first position.
template <class Value>
struct ArgAcc {
  Value value;
  int64_t index;
};

} // namespace at::native
