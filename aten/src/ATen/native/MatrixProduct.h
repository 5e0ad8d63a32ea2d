#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/Blas.h>
#include <ATen/native/DispatchStub.h>
#include <c10/core/Scalar.h>

#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>

namespace at::native {

// result = beta * result + alpha * a @ b, for matrices or batches of them that are not empty. The
// operands may be conjugate views, the result is none.
// `name` is the operator's, for the error that a dtype has no product.
using matrix_product_fn = void (*)(
    const char* name, const Tensor& a, const Tensor& b, const Tensor& result, const Scalar& beta,
    const Scalar& alpha);
DECLARE_DISPATCH(matrix_product_fn, matrix_product_stub);

// The conditions of dot: two vectors of one device, dtype and length.
TORCH_API void check_dot(const Tensor& self, const Tensor& other);

// Whether BLAS can read the last two dimensions as they are or as their transpose.
inline bool is_blas_ready(const Tensor& matrix) {
  const int64_t r = matrix.dim() - 2, c = matrix.dim() - 1;
  return is_blas_layout(matrix.size(r), matrix.size(c), matrix.stride(r), matrix.stride(c));
}

// The first product of a batch.
inline Gemm gemm_of(const Tensor& a, const Tensor& b, const Tensor& c) {
  const int64_t i = c.dim() - 2, j = c.dim() - 1;
  return {a.size(i),   b.size(j),          a.size(j),   a.const_data_ptr(), a.stride(i),
          a.stride(j), b.const_data_ptr(), b.stride(i), b.stride(j),        c.mutable_data_ptr(),
          c.stride(i), c.stride(j),        a.is_conj(), b.is_conj()};
}

// Whether gemm() has BLAS read the transpose of a matrix whose product is `result`.
inline bool is_read_transposed(const Tensor& matrix, const Tensor& result) {
  const int64_t i = result.dim() - 2, j = result.dim() - 1;
  const bool in_rows =
      is_row_major(result.size(i), result.size(j), result.stride(i), result.stride(j));
  const int64_t r = in_rows ? i : j, c = in_rows ? j : i;
  return !is_row_major(matrix.size(r), matrix.size(c), matrix.stride(r), matrix.stride(c));
}

// Calls run(gemm, count, a_step, b_step, c_step) with copies of those operands that BLAS cannot
// read. Steps are in elements. If run() does not take adjoints, no operand is conjugated.
template <class Run>
void with_blas_layout(
    const Tensor& a, const Tensor& b, const Tensor& result, bool takes_adjoints, const Run& run) {
  Tensor a_copy, b_copy, c_copy;
  const auto ready = [](const Tensor& matrix, Tensor& copy, bool readable) -> const Tensor& {
    if (readable && is_blas_ready(matrix)) {
      return matrix;
    }
    copy = at::clone(matrix, MemoryFormat::Contiguous);
    return copy;
  };
  const Tensor& c = ready(result, c_copy, true);
  const auto readable = [&](const Tensor& matrix) {
    return !matrix.is_conj() || (takes_adjoints && is_read_transposed(matrix, c));
  };
  const Tensor& x = ready(a, a_copy, readable(a));
  const Tensor& y = ready(b, b_copy, readable(b));
  const bool batched = c.dim() == 3;
  const auto step = [&](const Tensor& t) { return batched ? t.stride(0) : 0; };
  run(gemm_of(x, y, c), batched ? c.size(0) : 1, step(x), step(y), step(c));
  if (c_copy.defined()) {
    at::methods::copy_(result, c_copy);
  }
}

} // namespace at::native
