#pragma once

// Batches of matrices for LAPACK, which reads columns: a copy whose transposed memory is
// contiguous.

#include <ATen/core/Tensor.h>

#include <ATen/Parallel.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/transpose.h>

#include <algorithm>

namespace at::native {

inline int to_int(int64_t size) {
  TORCH_CHECK(size < (int64_t{1} << 31), "a matrix of ", size, " rows or columns is too large");
  return static_cast<int>(size);
}

// Matrices of `rows` by `cols`, with the batch dimensions of `like`.
inline Tensor empty_columns(const Tensor& like, int64_t rows, int64_t cols, c10::ScalarType dtype) {
  DimVector sizes(like.sizes().begin(), like.sizes().end() - 2);
  sizes.append({cols, rows});
  return at::transpose(at::empty(sizes, like.options().dtype(dtype)), -1, -2);
}

inline Tensor copy_columns(const Tensor& matrices) {
  return at::transpose(
      at::clone(at::transpose(matrices, -1, -2), MemoryFormat::Contiguous), -1, -2);
}

// One number for each matrix (`trailing` empty), or one vector.
inline Tensor empty_rows(const Tensor& like, IntArrayRef trailing, c10::ScalarType dtype) {
  DimVector sizes(like.sizes().begin(), like.sizes().end() - 2);
  sizes.append(trailing.begin(), trailing.end());
  return at::empty(sizes, like.options().dtype(dtype));
}

inline int64_t batch_count(const Tensor& matrices) {
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < matrices.dim(); ++d) {
    count *= matrices.size(d);
  }
  return count;
}

template <class F>
void for_each_matrix(const Tensor& matrices, const F& f) {
  const int64_t work = std::max<int64_t>(matrices.size(-1) * matrices.size(-2), 1);
  const int64_t grain = std::max<int64_t>(1, 4096 / work);
  at::parallel_for(0, batch_count(matrices), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      f(i);
    }
  });
}

inline void check_matrix(const Tensor& self, const char* name, const char* argument = "A") {
  TORCH_CHECK(
      self.dim() >= 2, name, ": The input tensor ", argument, " must have at least 2 dimensions.");
}

inline void check_square(const Tensor& self, const char* name, const char* argument = "A") {
  check_matrix(self, name, argument);
  TORCH_CHECK(
      self.size(-1) == self.size(-2), name, ": ", argument,
      " must be batches of square matrices, but they are ", self.size(-2), " by ", self.size(-1),
      " matrices");
}

// The half types pass: they are refused where a kernel is chosen, by its name.
inline void check_linalg_dtype(const Tensor& self, const char* name) {
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(), name,
      ": Expected a floating point or complex tensor as input. Got ", self.scalar_type());
}

inline void check_full_precision(const Tensor& self, const char* name) {
  check_linalg_dtype(self, name);
  TORCH_CHECK(
      !c10::isReducedFloatingType(self.scalar_type()), name,
      ": Low precision dtypes not supported. Got ", self.scalar_type());
}

// LAPACK's own routines refuse other dtypes by their kernel's name.
inline void check_kernel_dtype(const Tensor& self, const char* kernel) {
  const c10::ScalarType dtype = self.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      dtype == kFloat || dtype == kDouble || dtype == kComplexFloat || dtype == kComplexDouble, '"',
      kernel, "\" not implemented for '", dtype, "'");
}

// Copies a result into the tensor of an out= argument, which must have a dtype that can hold it.
inline void store_result(
    const Tensor& result, const Tensor& out, const char* name, const char* what) {
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), name, ": Expected ", what,
      " to be safely castable from ", result.scalar_type(), " dtype, but got ", what,
      " with dtype ", out.scalar_type());
  TORCH_CHECK(
      out.device() == result.device(), name, ": Expected ", what,
      " and input tensors to be on the same device, but got ", what, " on ", out.device(),
      " and input on ", result.device());
  resize_output(out, result.sizes());
  at::methods::copy_(out, result);
}

} // namespace at::native
