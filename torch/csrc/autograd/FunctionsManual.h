#pragma once

// Functions that the formulas of tools/autograd/derivatives.yaml call besides operators. They
// compute gradients with differentiable operators, so that gradients can be differentiated again.
// An undefined gradient means zero.

#include <ATen/ExpandUtils.h>
#include <ATen/TensorGeometry.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <ATen/ops/conj.h>
#include <ATen/ops/real.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace torch::autograd::generated::details {

using at::IntArrayRef;
using at::OptionalIntArrayRef;
using at::Scalar;
using at::ScalarType;
using at::Tensor;
using at::TensorGeometry;
using at::TensorList;
using at::TensorOptions;

// ---- small helpers, inline because every backward call runs them

// The conjugate; returns a real tensor without calling an operator.
inline Tensor conj_of(const Tensor& tensor) {
  return tensor.is_complex() ? at::conj(tensor) : tensor;
}

// The gradient of a real argument of a complex result is the real part of the gradient.
inline Tensor handle_r_to_c(ScalarType argument, Tensor gradient) {
  if (!c10::isComplexType(argument) && gradient.is_complex()) {
    return at::real(gradient);
  }
  return gradient;
}

TORCH_API bool is_one(const Scalar& factor);

inline Tensor maybe_multiply(const Tensor& tensor, const Scalar& factor) {
  return is_one(factor) ? tensor : tensor * factor;
}

// The strides that determine the layout of a product's gradient; layouts other than strided have
// none.
inline IntArrayRef strides_or_error(const Tensor& tensor, const char* argument) {
  TORCH_CHECK(
      tensor.layout() == at::kStrided, "the gradient of ", argument,
      " is only implemented for strided tensors");
  return tensor.strides();
}

// For a gradient that no formula gives.
[[noreturn]] TORCH_API Tensor not_implemented(const char* name);

// ---- arithmetic: FunctionsManualPointwise.cpp

TORCH_API Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType self);
TORCH_API Tensor div_tensor_self_backward(
    const Tensor& grad, const Tensor& other, ScalarType self,
    const std::optional<c10::string_view>& rounding_mode = std::nullopt);
TORCH_API Tensor div_tensor_other_backward(
    const Tensor& grad, const Tensor& self, const Tensor& other,
    const std::optional<c10::string_view>& rounding_mode = std::nullopt);
TORCH_API Tensor lerp_self_backward(const Tensor& grad, const Scalar& weight);
TORCH_API Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent);
TORCH_API Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
TORCH_API Tensor pow_backward_exponent(
    const Tensor& grad, const Tensor& self, const Tensor& exponent, const Tensor& result);
TORCH_API Tensor pow_backward_exponent(
    const Tensor& grad, const Scalar& base, const Tensor& exponent, const Tensor& result);
// The gradient of logit: zero outside [eps, 1 - eps], not a number outside [0, 1] without eps.
TORCH_API Tensor logit_backward(const Tensor& grad, const Tensor& self, std::optional<double> eps);
// part / (self^2 + other^2), and zero at the origin.
TORCH_API Tensor atan2_slope(const Tensor& part, const Tensor& self, const Tensor& other);
TORCH_API Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn);
// PyTorch's gradient of the modulus has the direction of `result`, also where the modulus is
// negative.
TORCH_API std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result);
TORCH_API Tensor angle_backward(const Tensor& grad, const Tensor& self);
TORCH_API Tensor angle_forward(const Tensor& self_t, const Tensor& self_p);
TORCH_API Tensor clamp_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
    const std::optional<Scalar>& max);
TORCH_API Tensor
clamp_backward(const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max);
TORCH_API std::tuple<Tensor, Tensor> clamp_backward_min_max(
    const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max,
    const std::array<bool, 2>& grad_input_mask);
TORCH_API Tensor _to_copy_backward(const Tensor& grad, const TensorOptions& options);
TORCH_API Tensor gelu_double_backward(
    const Tensor& grad, const Tensor& grad_output, const Tensor& self,
    c10::string_view approximate);
// Each takes the upstream gradients of grad_self and, where it is used, grad_weight.
TORCH_API Tensor prelu_grad_output_backward(
    const Tensor& grad_self, const Tensor& grad_weight, const Tensor& self, const Tensor& weight);
TORCH_API Tensor
prelu_self_backward(const Tensor& grad_weight, const Tensor& grad_output, const Tensor& self);
TORCH_API Tensor
prelu_weight_backward(const Tensor& grad_self, const Tensor& grad_output, const Tensor& self);
TORCH_API Tensor softmax_double_backward(
    const Tensor& grad, const Tensor& grad_output, int64_t dim, const Tensor& output);
TORCH_API Tensor
log_softmax_double_backward_grad_output(const Tensor& grad, const Tensor& output, int64_t dim);
TORCH_API Tensor log_softmax_double_backward_output(
    const Tensor& grad, const Tensor& grad_output, const Tensor& output, int64_t dim);

// ---- activations and losses: FunctionsManualLosses.cpp

// Second derivatives, multiplied by the first upstream gradient.
TORCH_API Tensor silu_curvature(const Tensor& grad_output, const Tensor& self);
TORCH_API Tensor mish_curvature(const Tensor& grad_output, const Tensor& self);
TORCH_API Tensor elu_double_backward(
    const Tensor& grad, const Tensor& grad_output, const Scalar& alpha, const Scalar& scale,
    const Scalar& input_scale, bool is_result, const Tensor& self_or_result);
TORCH_API Tensor softplus_double_backward(
    const Tensor& grad, const Tensor& self, const Scalar& beta, const Scalar& threshold);
TORCH_API Tensor
glu_double_backward_grad_output(const Tensor& grad, const Tensor& self, int64_t dim);
TORCH_API Tensor
glu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self, int64_t dim);

// The slope of the sum of losses, or of their mean over the elements of `input`.
TORCH_API Tensor reduced_slope(const Tensor& slope, const Tensor& input, int64_t reduction);
TORCH_API Tensor binary_cross_entropy_target_backward(
    const Tensor& grad, const Tensor& self, const Tensor& weight, int64_t reduction);
TORCH_API Tensor binary_cross_entropy_double_backward(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
    int64_t reduction);
TORCH_API Tensor binary_cross_entropy_double_backward_target(
    const Tensor& grad, const Tensor& self, const Tensor& weight, int64_t reduction);
TORCH_API Tensor binary_cross_entropy_with_logits_backward(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
    const Tensor& pos_weight, int64_t reduction);
TORCH_API Tensor binary_cross_entropy_with_logits_target_backward(
    const Tensor& grad, const Tensor& self, const Tensor& weight, const Tensor& pos_weight,
    int64_t reduction);

// ---- rearrangements and indexing: FunctionsManualViews.cpp

TORCH_API Tensor as_strided_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset);
TORCH_API Tensor as_strided_scatter_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset);
TORCH_API Tensor as_strided_scatter_src_backward(
    const Tensor& grad, const TensorGeometry& input, IntArrayRef size, IntArrayRef stride,
    std::optional<int64_t> storage_offset);
TORCH_API Tensor permute_backwards(const Tensor& grad, IntArrayRef dims);
TORCH_API Tensor slice_backward_wrapper(
    const Tensor& grad, IntArrayRef input_sizes, int64_t dim, std::optional<int64_t> start,
    std::optional<int64_t> end, int64_t step);
TORCH_API Tensor split_backward(
    TensorList grads, int64_t split_size, int64_t dim, IntArrayRef sizes,
    const TensorOptions& options);
TORCH_API Tensor split_with_sizes_backward(
    TensorList grads, IntArrayRef split_sizes, int64_t dim, IntArrayRef sizes,
    const TensorOptions& options);
TORCH_API Tensor unbind_backward(TensorList grads, int64_t dim);
TORCH_API Tensor unsqueeze_to(const Tensor& tensor, IntArrayRef sizes);
TORCH_API Tensor unsqueeze_to(const Tensor& tensor, int64_t dim, IntArrayRef sizes);
TORCH_API Tensor unsqueeze_to(const Tensor& tensor, IntArrayRef dims, IntArrayRef sizes);
TORCH_API std::vector<Tensor> cat_tensors_backward(
    const Tensor& grad, const std::vector<std::vector<int64_t>>& sizes,
    const std::vector<ScalarType>& dtypes, int64_t dim);
TORCH_API std::vector<Tensor> stack_tensors_backward(
    const Tensor& grad, int64_t dim, const std::vector<ScalarType>& dtypes);
TORCH_API Tensor repeat_backward(Tensor grad, IntArrayRef repeats, IntArrayRef input_sizes);
TORCH_API c10::DimVector negated(IntArrayRef values);
TORCH_API Tensor index_backward(
    const Tensor& grad, IntArrayRef self_sizes, const c10::List<std::optional<Tensor>>& indices);
TORCH_API std::tuple<Tensor, Tensor> scatter_reduce_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    c10::string_view reduce, bool include_self, const Tensor& result);
TORCH_API std::tuple<Tensor, Tensor> index_reduce_backward(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
    c10::string_view reduce, bool include_self, const Tensor& result);
TORCH_API Tensor
embedding_dense_double_backward(const Tensor& grad, const Tensor& indices, int64_t padding_idx);

// ---- reductions: FunctionsManualReductions.cpp

// Restores the dimensions of `tensor` that a reduction over `dims` of `rank` dimensions dropped;
// empty dims mean all.
TORCH_API Tensor
restore_reduced_dims(const Tensor& tensor, OptionalIntArrayRef dims, int64_t rank, bool keepdim);
TORCH_API Tensor
sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dims, bool keepdim);
TORCH_API Tensor
nansum_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dims, bool keepdim);
TORCH_API Tensor mean_backward(
    const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dims, int64_t numel, bool keepdim);
TORCH_API Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TORCH_API Tensor prod_backward(
    const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim, bool keepdim);
TORCH_API Tensor var_backward(
    Tensor grad, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim);
TORCH_API Tensor std_backward(
    const Tensor& result, const Tensor& grad, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim);
TORCH_API Tensor var_mean_backward(
    const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self, OptionalIntArrayRef dims,
    const std::optional<Scalar>& correction, bool keepdim);
TORCH_API Tensor linalg_vector_norm_backward(
    const Tensor& grad, const Tensor& self, const Scalar& ord, const Tensor& norm,
    OptionalIntArrayRef dims, bool keepdim);
TORCH_API Tensor norm_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p, const Tensor& norm);
TORCH_API Tensor norm_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p, const Tensor& norm,
    IntArrayRef dims, bool keepdim);
TORCH_API Tensor logsumexp_backward(
    const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dims, bool keepdim);
TORCH_API Tensor amaxamin_backward(
    const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dims, bool keepdim);
TORCH_API Tensor
evenly_distribute_backward(const Tensor& grad, const Tensor& input, const Tensor& value);
TORCH_API Tensor cumsum_backward(const Tensor& grad, int64_t dim);
TORCH_API Tensor
cumprod_backward(const Tensor& grad, const Tensor& input, int64_t dim, const Tensor& output);
TORCH_API Tensor
logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim);

// ---- recurrent layers: FunctionsManualRecurrent.cpp

// Gradients of the input, both states, both weights and both biases. If the gradients are to be
// differentiated, the layer is recomputed step by step.
TORCH_API std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> lstm_layer_backward(
    TensorList grads, const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& w_ih,
    const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh, const Tensor& output,
    const Tensor& gates, const Tensor& cells, bool reverse);

// ---- products of matrices: FunctionsManualProducts.cpp

// Gradients of alpha * mat1 @ mat2. They have the layout of the matrix they belong to, so that the
// gradient of a transposed weight is transposed as well.
TORCH_API Tensor mm_mat1_backward(
    const Tensor& grad, const Tensor& mat2, IntArrayRef mat1_sizes, IntArrayRef mat1_strides,
    const Scalar& alpha);
TORCH_API Tensor mm_mat2_backward(
    const Tensor& grad, const Tensor& mat1, IntArrayRef mat2_sizes, IntArrayRef mat2_strides,
    const Scalar& alpha);
TORCH_API Tensor outer_product(const Tensor& column, const Tensor& row);

// ---- factorizations of matrices: FunctionsManualLinalg.cpp

TORCH_API Tensor cholesky_backward(const Tensor& grad, bool upper, const Tensor& factor);
TORCH_API Tensor
lu_factor_ex_backward(const Tensor& grad, const Tensor& factors, const Tensor& pivots, bool pivot);
TORCH_API Tensor
lu_unpack_backward(const Tensor& grad_lower, const Tensor& grad_upper, int64_t rows, int64_t cols);
TORCH_API std::tuple<Tensor, Tensor> linalg_solve_backward(
    const Tensor& grad, const Tensor& result, const Tensor& A, const Tensor& B, bool left);
TORCH_API std::tuple<Tensor, Tensor> linalg_solve_triangular_backward(
    const Tensor& grad, const Tensor& A, const Tensor& result, bool upper, bool left,
    bool unitriangular);
TORCH_API Tensor cholesky_inverse_backward(
    const Tensor& grad, const Tensor& factor, const Tensor& result, bool upper);
TORCH_API std::tuple<Tensor, Tensor> cholesky_solve_backward(
    const Tensor& grad, const Tensor& factor, const Tensor& result, bool upper);
TORCH_API std::tuple<Tensor, Tensor> linalg_lu_solve_backward(
    const Tensor& grad, const Tensor& result, const Tensor& factors, const Tensor& pivots,
    bool left, bool adjoint_given);
TORCH_API Tensor linalg_inv_backward(const Tensor& grad, const Tensor& inverse);
TORCH_API Tensor linalg_det_backward(const Tensor& grad, const Tensor& det, const Tensor& A);
TORCH_API Tensor slogdet_backward(
    const Tensor& grad_sign, const Tensor& grad_log, const Tensor& A, const Tensor& sign);
TORCH_API Tensor linalg_qr_backward(
    const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
    c10::string_view mode);
TORCH_API Tensor linalg_eigh_backward(
    const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
    const Tensor& vectors);
TORCH_API Tensor linalg_eig_backward(
    const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
    const Tensor& vectors);
TORCH_API Tensor svd_backward(
    const Tensor& grad_u, const Tensor& grad_s, const Tensor& grad_vh, const Tensor& u,
    const Tensor& s, const Tensor& vh);

// ---- products of reflectors: FunctionsManualReflectors.cpp

TORCH_API std::tuple<Tensor, Tensor> householder_product_backward(
    const Tensor& grad, const Tensor& reflectors, const Tensor& tau);
TORCH_API std::tuple<Tensor, Tensor, Tensor> ormqr_backward(
    const Tensor& grad, const Tensor& reflectors, const Tensor& tau, const Tensor& other, bool left,
    bool transpose, std::array<bool, 3> mask);

// ---- special functions, draws and Fourier transforms: FunctionsManualSpecial.cpp

// The derivative of the regularized lower incomplete gamma function in its second argument.
TORCH_API Tensor igamma_slope(const Tensor& a, const Tensor& x);
// numerator / x, and `limit` where x is 0
TORCH_API Tensor quotient_at_zero(const Tensor& numerator, const Tensor& x, double limit);
TORCH_API Tensor sinc_slope(const Tensor& x);
TORCH_API Tensor
sample_dirichlet_backward(const Tensor& grad, const Tensor& alpha, const Tensor& draw);
TORCH_API Tensor fft_r2c_backward(
    const Tensor& grad, IntArrayRef dim, int64_t normalization, bool onesided, int64_t length);
TORCH_API Tensor fft_c2r_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization);

// ---- normalizations: FunctionsManualNormalization.cpp; pooling and padding:
// FunctionsManualPooling.cpp

TORCH_API std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(
    const Tensor& grad, const Tensor& input, IntArrayRef normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> wanted);
TORCH_API std::tuple<Tensor, Tensor> rms_norm_backward(
    const Tensor& grad, const Tensor& input, IntArrayRef normalized_shape, const Tensor& rstd,
    const Tensor& weight, std::array<bool, 2> wanted);
TORCH_API std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& running_mean,
    const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool training,
    double eps, std::array<bool, 3> wanted);
TORCH_API std::tuple<Tensor, Tensor, Tensor> group_norm_backward(
    const Tensor& grad, const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& input,
    const Tensor& mean, const Tensor& rstd, const Tensor& weight, int64_t N, int64_t C, int64_t HxW,
    int64_t group, double eps, std::array<bool, 3> wanted);
TORCH_API Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t dims);
TORCH_API Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad);

// ---- grid_sample: FunctionsManualGridSample.cpp

// The gradients by grad, input and grid, given those of its results.
TORCH_API std::tuple<Tensor, Tensor, Tensor> grid_sampler_double_backward(
    const Tensor& v_input, const Tensor& v_grid, const Tensor& grad, const Tensor& input,
    const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners);

} // namespace torch::autograd::generated::details
