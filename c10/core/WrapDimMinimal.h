#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

namespace c10 {

namespace detail {
// Wraps a dimension in range (a scalar accepts -1 and 0) and raises IndexError otherwise.
C10_API int64_t maybe_wrap_dim_slow(int64_t dim, int64_t dim_post_expr, bool wrap_scalar);
} // namespace detail

inline int64_t maybe_wrap_dim(int64_t dim, int64_t dim_post_expr, bool wrap_scalar = true) {
  if (C10_LIKELY(dim_post_expr * -1 <= dim && dim < dim_post_expr)) {
    return dim < 0 ? dim + dim_post_expr : dim;
  }
  return detail::maybe_wrap_dim_slow(dim, dim_post_expr, wrap_scalar);
}

} // namespace c10

namespace at {
using c10::maybe_wrap_dim;
} // namespace at
