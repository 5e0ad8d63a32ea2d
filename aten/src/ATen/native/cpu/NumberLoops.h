#pragma once

#include <ATen/UnroundedNumber.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Like vec_kernel<T(T, T)>, but a number on the right of 16-bit floats is not rounded to them
// first, as in PyTorch: Half can represent neither 0.1 nor 70000.
template <typename T, typename Op>
void vec_kernel_unrounded(TensorIteratorBase& iter, const Op& op) {
  if constexpr (sizeof(T) == 2) {
    if (const float* number = unrounded_number(iter, 2)) {
      const float right = *number;
      iter.remove_operand(2);
      vec_kernel<T(T)>(
          iter, [&op, right](auto left) { return op(left, vec::splat<decltype(left)>(right)); });
      return;
    }
  }
  vec_kernel<T(T, T)>(iter, op);
}

} // namespace CPU_CAPABILITY
} // namespace at::native
