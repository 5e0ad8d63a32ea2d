#pragma once

#include <ATen/cpu/vec/vec_exp.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The logistic function for use as a factor: to 3 ulp, from exp(-|x|), which does not overflow.
// vec::sigmoid also corrects the rounding error of the sum.
template <typename V>
C10_ALWAYS_INLINE V logistic(V x) {
  using T = vec::element_of<V>;
  const V one = vec::splat<V>(T(1));
  const V e = vec::exp(-vec::abs(x));
  return vec::divide(x < V{} ? e : one, one + e);
}

} // namespace CPU_CAPABILITY
} // namespace at::native
