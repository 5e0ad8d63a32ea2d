// mm, addmm, bmm, baddbmm, mv, addmv, dot, vdot and outer.

#include <ATen/TensorIterator.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Blas.h>
#include <ATen/native/MathBits.h>
#include <ATen/native/MatrixProduct.h>
#include <ATen/native/RankOne.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TileUnit.h>

#include <ATen/ops/addmm_meta.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/addmv.h>
#include <ATen/ops/addmv_meta.h>
#include <ATen/ops/addmv_native.h>
#include <ATen/ops/baddbmm_meta.h>
#include <ATen/ops/baddbmm_native.h>
#include <ATen/ops/bmm_meta.h>
#include <ATen/ops/bmm_native.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/dot_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mm_meta.h>
#include <ATen/ops/mm_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/mv_native.h>
#include <ATen/ops/outer_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vdot.h>
#include <ATen/ops/vdot_native.h>
#include <ATen/ops/zero.h>

namespace at::native {

DEFINE_DISPATCH(matrix_product_stub);
DEFINE_DISPATCH(rank_one_stub);

namespace {

// The dtypes that gemm() supports.
bool has_gemm(ScalarType dtype) {
  return dtype != ScalarType::Bool && !c10::isStorageType(dtype);
}

bool is_multiplied_in_float(ScalarType dtype) {
  if (dtype == kBFloat16 && has_tile_unit()) {
    return false;
  }
  return c10::isHalfFloatingType(dtype) || (c10::isFloat8Type(dtype) && c10::isSignedType(dtype));
}

bool is_zero(const Scalar& number) {
  return !number.isComplex() && number.toDouble() == 0;
}

void multiply_on_cpu(
    const char* name, const Tensor& a, const Tensor& b, const Tensor& result, const Scalar& beta,
    const Scalar& alpha) {
  const ScalarType dtype = result.scalar_type();
  if (is_multiplied_in_float(dtype)) {
    const Tensor wide = at::methods::to(result, ScalarType::Float);
    multiply_on_cpu(
        name, at::methods::to(a, ScalarType::Float), at::methods::to(b, ScalarType::Float), wide,
        beta, alpha);
    const AutoDispatchBelowADInplaceOrView uncounted;
    at::methods::copy_(result, wide);
    return;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      has_gemm(dtype), '"', name, "\" not implemented for '", c10::toString(dtype), "'");
  with_blas_layout(
      a, b, result, /*takes_adjoints=*/true,
      [&](const Gemm& g, int64_t count, int64_t a_step, int64_t b_step, int64_t c_step) {
        gemm_batch(dtype, g, count, a_step, b_step, c_step, alpha, beta);
      });
}

// result = beta * result + alpha * a @ b, for matrices or batches of them.
void multiply_into(
    const char* name, const Tensor& a, const Tensor& b, const Tensor& result, const Scalar& beta,
    const Scalar& alpha) {
  if (result.numel() == 0) {
    return;
  }
  if (a.numel() == 0) {
    const AutoDispatchBelowADInplaceOrView uncounted;
    is_zero(beta) ? at::methods::zero_(result) : at::methods::mul_(result, beta);
    return;
  }
  if (result.is_conj()) {
    multiply_into(
        name, at::conj(a), at::conj(b), without_math_bits(result), beta.conj(), alpha.conj());
    return;
  }
  matrix_product_stub(result.device().type(), name, a, b, result, beta, alpha);
}

// Copies the addend to the result; it is not read if beta is zero.
void start_from(const Tensor& self, const Scalar& beta, const Tensor& result) {
  if (!is_zero(beta) && !self.is_same(result)) {
    const AutoDispatchBelowADInplaceOrView uncounted;
    at::methods::copy_(result, at::methods::expand(self, result.sizes()));
  }
}

// Whether a large matrix is changed by the product of a column and a row.
bool is_rank_one(const Tensor& column, const Scalar& beta, const Tensor& result) {
  constexpr int64_t kWorthAnIterator = 4096;
  const ScalarType dtype = result.scalar_type();
  return column.size(1) == 1 && result.numel() >= kWorthAnIterator && result.is_cpu() &&
      (dtype == kFloat || dtype == kDouble) && !is_zero(beta);
}

void add_rank_one(
    const Tensor& self, const Tensor& column, const Tensor& row, const Scalar& beta,
    const Scalar& alpha, const Tensor& result) {
  TensorIterator iter = TensorIteratorConfig()
                            .set_check_mem_overlap(false)
                            .resize_outputs(false)
                            .add_borrowed_output(result)
                            .add_borrowed_const_input(self)
                            .add_borrowed_const_input(column)
                            .add_borrowed_const_input(row)
                            .build();
  rank_one_stub(iter.device_type(), iter, beta.toDouble(), alpha.toDouble());
}

void check_matrices(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(
      a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x",
      a.size(1), " and ", b.size(0), "x", b.size(1), ")");
}

void check_batches(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.dim() == 3, "batch1 must be a 3D tensor");
  TORCH_CHECK(b.dim() == 3, "batch2 must be a 3D tensor");
  TORCH_CHECK(
      a.size(0) == b.size(0) && a.size(2) == b.size(1),
      "Expected size for first two dimensions of batch2 tensor to be: [", a.size(0), ", ",
      a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].");
}

void check_same_dtype(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(
      a.scalar_type() == b.scalar_type(), "expected m1 and m2 to have the same dtype, ",
      "but got: ", a.dtype(), " != ", b.dtype());
}

void check_addend_dtype(const Tensor& self, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(
      self.scalar_type() == b.scalar_type(), "self and mat2 must have the same dtype, but got ",
      self.scalar_type(), " and ", b.scalar_type());
  TORCH_CHECK(
      a.scalar_type() == b.scalar_type(), "mat1 and mat2 must have the same dtype, but got ",
      a.scalar_type(), " and ", b.scalar_type());
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(matrix_product_stub, &multiply_on_cpu)

TORCH_IMPL_FUNC(mm_out)(const Tensor& self, const Tensor& mat2, const Tensor& result) {
  check_same_dtype(self, mat2);
  multiply_into("addmm_impl_cpu_", self, mat2, result, 0, 1);
}

TORCH_IMPL_FUNC(addmm_out)
(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
 const Scalar& alpha, const Tensor& result) {
  check_addend_dtype(self, mat1, mat2);
  if (is_rank_one(mat1, beta, result)) {
    return add_rank_one(self, mat1, mat2, beta, alpha, result);
  }
  start_from(self, beta, result);
  multiply_into("addmm_impl_cpu_", mat1, mat2, result, beta, alpha);
}

TORCH_IMPL_FUNC(bmm_out)(const Tensor& self, const Tensor& mat2, const Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == mat2.scalar_type(), "expected scalar type ", self.scalar_type(),
      " but found ", mat2.scalar_type());
  multiply_into("bmm", self, mat2, result, 0, 1);
}

TORCH_IMPL_FUNC(baddbmm_out)
(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
 const Scalar& alpha, const Tensor& result) {
  TORCH_CHECK(
      self.dtype() == batch1.dtype() && self.dtype() == batch2.dtype(),
      "Input dtypes must be the same, got: input ", self.dtype(), ", batch1: ", batch1.dtype(),
      ", batch2: ", batch2.dtype());
  start_from(self, beta, result);
  multiply_into("baddbmm", batch1, batch2, result, beta, alpha);
}

TORCH_IMPL_FUNC(addmv_out)
(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha,
 const Tensor& result) {
  TORCH_CHECK(
      mat.scalar_type() == vec.scalar_type() && self.scalar_type() == mat.scalar_type(),
      "addmv input tensors must have the same dtype, but got ", self.scalar_type(), ", ",
      mat.scalar_type(), ", and ", vec.scalar_type());
  start_from(self, beta, result);
  multiply_into(
      "addmv_impl_cpu", mat, at::unsqueeze(vec, 1), at::unsqueeze(result, 1), beta, alpha);
}

Tensor& mv_out(const Tensor& self, const Tensor& vec, Tensor& result) {
  return at::addmv_out(result, at::empty({self.size(0)}, vec.options()), self, vec, 0, 1);
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  return at::addmv(at::empty({self.size(0)}, vec.options()), self, vec, 0, 1);
}

void check_dot(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(
      self.device() == other.device(), "Tensor on device ", other.device(),
      " is not on the expected device ", self.device(), "!");
  TORCH_CHECK(
      self.dim() == 1 && other.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ",
      other.dim(), "D tensors");
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(),
      "dot : expected both vectors to have same dtype, but found ", self.scalar_type(), " and ",
      other.scalar_type());
  TORCH_CHECK(
      self.numel() == other.numel(), "inconsistent tensor size, expected tensor [", self.numel(),
      "] and src [", other.numel(), "] to have the same number of elements, but got ", self.numel(),
      " and ", other.numel(), " elements respectively");
}

namespace {

Tensor dot_of(const Tensor& self, const Tensor& other, bool conjugated) {
  check_dot(self, other);
  Tensor result = at::empty({}, self.options());
  if (self.is_meta()) {
    return result;
  }
  const bool left = conjugated != self.is_conj(), right = other.is_conj();
  const Tensor& first = right && !left ? other : self;
  const Tensor& second = right && !left ? self : other;
  dot(self.scalar_type(), self.numel(), first.const_data_ptr(), first.stride(0),
      second.const_data_ptr(), second.stride(0), result.mutable_data_ptr(), left != right);
  result._set_conj(left && right && self.is_complex());
  return result;
}

void prepare_dot_output(const Tensor& self, Tensor& result) {
  TORCH_CHECK(
      result.scalar_type() == self.scalar_type(), "result dtype ", result.scalar_type(),
      " does not match input dtype ", self.scalar_type());
  resize_output(result, {});
}

} // namespace

Tensor dot(const Tensor& self, const Tensor& other) {
  return dot_of(self, other, false);
}

Tensor& dot_out(const Tensor& self, const Tensor& other, Tensor& result) {
  prepare_dot_output(self, result);
  return at::methods::copy_(result, at::dot(self, other));
}

Tensor vdot(const Tensor& self, const Tensor& other) {
  return dot_of(self, other, true);
}

Tensor& vdot_out(const Tensor& self, const Tensor& other, Tensor& result) {
  prepare_dot_output(self, result);
  return at::methods::copy_(result, at::vdot(self, other));
}

namespace {

Tensor as_column(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  TORCH_CHECK(other.dim() == 1, "outer: Expected 1-D argument vec2, but got ", other.dim(), "-D");
  return at::unsqueeze(self, 1);
}

} // namespace

Tensor outer(const Tensor& self, const Tensor& other) {
  return at::mul(as_column(self, other), other);
}

Tensor& outer_out(const Tensor& self, const Tensor& other, Tensor& result) {
  return at::mul_out(result, as_column(self, other), other);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(mm)(const Tensor& self, const Tensor& mat2) {
  TORCH_CHECK(self.dim() == 2, "self must be a matrix");
  TORCH_CHECK(mat2.dim() == 2, "mat2 must be a matrix");
  native::check_matrices(self, mat2);
  set_output_raw_strided(0, {self.size(0), mat2.size(1)}, {}, self.options());
}

TORCH_META_FUNC(addmm)
(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
 const Scalar& alpha) {
  TORCH_CHECK(mat1.dim() == 2, "mat1 must be a matrix, got ", mat1.dim(), "-D tensor");
  TORCH_CHECK(mat2.dim() == 2, "mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
  native::check_matrices(mat1, mat2);
  set_output_raw_strided(0, {mat1.size(0), mat2.size(1)}, {}, self.options());
}

TORCH_META_FUNC(bmm)(const Tensor& self, const Tensor& mat2) {
  native::check_batches(self, mat2);
  set_output_raw_strided(0, {self.size(0), self.size(1), mat2.size(2)}, {}, self.options());
}

TORCH_META_FUNC(baddbmm)
(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
 const Scalar& alpha) {
  const DimVector sizes{batch1.size(0), batch1.size(1), batch2.size(2)};
  native::check_batches(batch1, batch2);
  set_output_raw_strided(0, sizes, {}, self.options());
}

TORCH_META_FUNC(addmv)
(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
 const Scalar& alpha) {
  TORCH_CHECK(
      mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1,
      "vector + matrix @ vector expected, got ", self.dim(), ", ", mat.dim(), ", ", vec.dim());
  TORCH_CHECK(
      mat.size(1) == vec.size(0) && (mat.size(0) == self.numel() || self.numel() == 1),
      "size mismatch, got input (", self.numel(), "), mat (", mat.size(0), "x", mat.size(1),
      "), vec (", vec.size(0), ")");
  set_output_raw_strided(0, {mat.size(0)}, {}, vec.options());
}

} // namespace at::meta
