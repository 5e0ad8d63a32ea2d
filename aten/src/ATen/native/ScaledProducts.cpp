// Products of matrices of small numbers: 8-bit integers, and 8-bit floats with scales.

#include <ATen/core/Tensor.h>

#include <ATen/native/MatrixProduct.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TileUnit.h>
#include <ATen/ops/_int_mm.h>
#include <ATen/ops/_int_mm_native.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/_scaled_mm_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/to.h>

namespace at::native {
namespace {

// The most products of two 8-bit integers whose sums float represents exactly: 2^24 / (2^8 * 2^7).
constexpr int64_t kExactInFloat = 512;

void check_int_mm(const Tensor& self, const Tensor& mat2) {
  TORCH_CHECK(
      self.dim() == 2, "int_mm_out_cpu: Expected self to be of dimension 2 but got ", self.dim());
  TORCH_CHECK(
      mat2.dim() == 2, "int_mm_out_cpu: Expected mat2 to be of dimension 2 but got ", mat2.dim());
  TORCH_CHECK(
      self.size(1) == mat2.size(0),
      "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got ", self.size(1), " and ",
      mat2.size(0));
  TORCH_CHECK(
      self.scalar_type() == kChar || self.scalar_type() == kByte,
      "int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got ", self.scalar_type());
  TORCH_CHECK(
      mat2.scalar_type() == kChar,
      "int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got ", mat2.scalar_type());
}

void check_int_mm_out(const Tensor& self, const Tensor& mat2, const Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == kInt,
      "int_mm_out_cpu: Expected result dtype to be of type kInt but got ", result.scalar_type());
  TORCH_CHECK(
      result.dim() == 2, "int_mm_out_cpu: Expected result to be of dimension 2 but got ",
      result.dim());
  TORCH_CHECK(
      result.size(0) == self.size(0), "int_mm_out_cpu: Expected result.size(0) to be ",
      self.size(0), " but got ", result.size(0));
  TORCH_CHECK(
      result.size(1) == mat2.size(1), "int_mm_out_cpu: Expected result.size(1) to be ",
      mat2.size(1), " but got ", result.size(1));
  TORCH_CHECK(result.is_contiguous(), "int_mm_out_cpu: Expected result to be contiguous.");
}

void check_scaled_mm(const Tensor& self, const Tensor& mat2, const std::optional<Tensor>& bias) {
  TORCH_CHECK(self.dim() == 2, "mat1 must be a matrix");
  TORCH_CHECK(mat2.dim() == 2, "mat2 must be a matrix");
  TORCH_CHECK(
      self.size(1) == mat2.size(0), "mat_a and mat_b shapes cannot be multiplied (", self.size(0),
      "x", self.size(1), " and ", mat2.size(0), "x", mat2.size(1), ")");
  TORCH_CHECK(
      !bias || bias->numel() == mat2.size(1), "Bias must be size ", mat2.size(1), " but got ",
      bias ? bias->numel() : 0);
}

bool is_float8_with_scale(const Tensor& matrix, const Tensor& scale) {
  return c10::isFloat8Type(matrix.scalar_type()) && scale.scalar_type() == kFloat;
}

bool is_contiguous_matrix(const Tensor& scale, int64_t rows, int64_t columns) {
  return scale.dim() == 2 && scale.size(0) == rows && scale.size(1) == columns &&
      scale.is_contiguous();
}

// One scale for each matrix, or one for each row of the first and each column of the second.
void check_scales(
    const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b) {
  const bool has_types = is_float8_with_scale(self, scale_a) && is_float8_with_scale(mat2, scale_b);
  const bool of_matrices = scale_a.numel() == 1 && scale_b.numel() == 1;
  const bool of_lines = is_contiguous_matrix(scale_a, self.size(0), 1) &&
      is_contiguous_matrix(scale_b, 1, mat2.size(1));
  TORCH_CHECK_VALUE(
      has_types && (of_matrices || of_lines), "Invalid scaling configuration.\n",
      "- For TensorWise scaling, a and b should be float8, scales should be float and "
      "singletons.\n",
      "- For RowWise scaling, a and b should be float8, scales should be float, scale_a should be "
      "(",
      self.size(0), ", 1) and scale_b should be (1, ", mat2.size(1),
      "), and both should be contiguous.\nGot mat_a.dtype()=", self.scalar_type(),
      ", scale_a.dtype()=", scale_a.scalar_type(), ", scale_a.size()=", scale_a.sizes(),
      ", scale_a.stride()=", scale_a.strides(), ", mat_b.dtype()=", mat2.scalar_type(),
      ", scale_b.dtype()=", scale_b.scalar_type(), ", scale_b.size()=", scale_b.sizes(),
      " and scale_b.stride()=", scale_b.strides());
}

Tensor scaled(const Tensor& matrix, const Tensor& scale) {
  const Tensor factor = scale.numel() == 1 ? at::reshape(scale, {}) : scale;
  return at::mul(at::methods::to(matrix, kFloat), factor);
}

} // namespace

Tensor& _int_mm_out(const Tensor& self, const Tensor& mat2, Tensor& result) {
  check_int_mm(self, mat2);
  check_int_mm_out(self, mat2, result);
  if (self.is_cpu() && self.scalar_type() == kChar && has_tile_unit() && self.numel() > 0 &&
      result.numel() > 0) {
    with_blas_layout(
        self, mat2, result, /*takes_adjoints=*/false,
        [](const Gemm& g, int64_t, int64_t, int64_t, int64_t) { byte_gemm(g); });
    return result;
  }
  const ScalarType exact = self.size(1) <= kExactInFloat ? kFloat : kDouble;
  return at::methods::copy_(
      result, at::mm(at::methods::to(self, exact), at::methods::to(mat2, exact)));
}

Tensor _int_mm(const Tensor& self, const Tensor& mat2) {
  check_int_mm(self, mat2);
  Tensor result = at::empty({self.size(0), mat2.size(1)}, self.options().dtype(kInt));
  return at::_int_mm_out(result, self, mat2);
}

Tensor& _scaled_mm_out(
    const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
    const std::optional<Tensor>& bias, const std::optional<Tensor>&,
    std::optional<ScalarType> out_dtype, bool, Tensor& out) {
  check_scaled_mm(self, mat2, bias);
  check_scales(self, mat2, scale_a, scale_b);
  TORCH_CHECK_VALUE(
      !out_dtype || *out_dtype == out.scalar_type(), "out_dtype must match output matrix type");
  Tensor product = at::mm(scaled(self, scale_a), scaled(mat2, scale_b));
  if (bias) {
    product = at::add(product, *bias);
  }
  resize_output(out, product.sizes());
  return at::methods::copy_(out, product);
}

Tensor _scaled_mm(
    const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
    const std::optional<Tensor>& bias, const std::optional<Tensor>& scale_result,
    std::optional<ScalarType> out_dtype, bool use_fast_accum) {
  check_scaled_mm(self, mat2, bias);
  Tensor out = at::empty(
      {self.size(0), mat2.size(1)}, self.options().dtype(out_dtype.value_or(self.scalar_type())));
  return at::_scaled_mm_out(
      out, self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum);
}

} // namespace at::native
