// The operators that autocast changes on CUDA devices. The lists are PyTorch's.
#include <ATen/AutocastKernels.h>
#include <ATen/ops/_convolution_ops.h>
#include <ATen/ops/_upsample_bicubic2d_aa_ops.h>
#include <ATen/ops/_upsample_bilinear2d_aa_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_ops.h>
#include <ATen/ops/acos_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/asin_ops.h>
#include <ATen/ops/atan2_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bilinear_ops.h>
#include <ATen/ops/binary_cross_entropy_ops.h>
#include <ATen/ops/binary_cross_entropy_with_logits_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cdist_ops.h>
#include <ATen/ops/conv1d_ops.h>
#include <ATen/ops/conv2d_ops.h>
#include <ATen/ops/conv3d_ops.h>
#include <ATen/ops/conv_tbc_ops.h>
#include <ATen/ops/conv_transpose1d_ops.h>
#include <ATen/ops/conv_transpose2d_ops.h>
#include <ATen/ops/conv_transpose3d_ops.h>
#include <ATen/ops/convolution_ops.h>
#include <ATen/ops/cosh_ops.h>
#include <ATen/ops/cosine_embedding_loss_ops.h>
#include <ATen/ops/cosine_similarity_ops.h>
#include <ATen/ops/cross_ops.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/einsum_ops.h>
#include <ATen/ops/erfinv_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expm1_ops.h>
#include <ATen/ops/grid_sampler_ops.h>
#include <ATen/ops/group_norm_ops.h>
#include <ATen/ops/gru_cell_ops.h>
#include <ATen/ops/gru_ops.h>
#include <ATen/ops/hinge_embedding_loss_ops.h>
#include <ATen/ops/huber_loss_ops.h>
#include <ATen/ops/index_put_ops.h>
#include <ATen/ops/kl_div_ops.h>
#include <ATen/ops/l1_loss_ops.h>
#include <ATen/ops/layer_norm_ops.h>
#include <ATen/ops/linalg_multi_dot_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/linear_ops.h>
#include <ATen/ops/log10_ops.h>
#include <ATen/ops/log1p_ops.h>
#include <ATen/ops/log2_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/log_softmax_ops.h>
#include <ATen/ops/logsumexp_ops.h>
#include <ATen/ops/lstm_cell_ops.h>
#include <ATen/ops/lstm_ops.h>
#include <ATen/ops/margin_ranking_loss_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/multi_margin_loss_ops.h>
#include <ATen/ops/multilabel_margin_loss_ops.h>
#include <ATen/ops/mv_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/nll_loss2d_ops.h>
#include <ATen/ops/nll_loss_ops.h>
#include <ATen/ops/norm_ops.h>
#include <ATen/ops/pdist_ops.h>
#include <ATen/ops/poisson_nll_loss_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/prelu_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/rms_norm_ops.h>
#include <ATen/ops/rnn_relu_cell_ops.h>
#include <ATen/ops/rnn_relu_ops.h>
#include <ATen/ops/rnn_tanh_cell_ops.h>
#include <ATen/ops/rnn_tanh_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/scaled_dot_product_attention_ops.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/sinh_ops.h>
#include <ATen/ops/smooth_l1_loss_ops.h>
#include <ATen/ops/soft_margin_loss_ops.h>
#include <ATen/ops/softmax_ops.h>
#include <ATen/ops/softplus_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tan_ops.h>
#include <ATen/ops/tensordot_ops.h>
#include <ATen/ops/vdot_ops.h>
#include <ATen/ops/triplet_margin_loss_ops.h>
#include <ATen/ops/upsample_bicubic2d_ops.h>
#include <ATen/ops/upsample_bilinear2d_ops.h>
#include <ATen/ops/upsample_linear1d_ops.h>
#include <ATen/ops/upsample_nearest1d_ops.h>
#include <ATen/ops/upsample_nearest2d_ops.h>
#include <ATen/ops/upsample_nearest3d_ops.h>
#include <ATen/ops/upsample_trilinear3d_ops.h>

namespace {

constexpr c10::DispatchKey kAutocastKey = c10::DispatchKey::AutocastCUDA;

// norm() takes the dtype of its result in overloads of their own.
at::ScalarType norm_dtype(const at::Tensor& self) {
  return at::autocast::is_eligible(self, at::DeviceType::CUDA) ? at::ScalarType::Float
                                                               : self.scalar_type();
}
at::Tensor norm(c10::DispatchKeySet keys, const at::Tensor& self, const at::Scalar& p) {
  const at::autocast::BelowAutocast region(keys);
  return at::_ops::norm_ScalarOpt_dtype::call(self, p, norm_dtype(self));
}
at::Tensor norm_over(
    c10::DispatchKeySet keys, const at::Tensor& self, const std::optional<at::Scalar>& p,
    at::IntArrayRef dim, bool keepdim) {
  const at::autocast::BelowAutocast region(keys);
  return at::_ops::norm_ScalarOpt_dim_dtype::call(self, p, dim, keepdim, norm_dtype(self));
}

at::Tensor refuse_binary_cross_entropy(
    c10::DispatchKeySet, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
    int64_t) {
  TORCH_CHECK(
      false,
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast: a "
      "probability near 0 or 1 loses its logarithm in the lower precision. Call "
      "torch.nn.functional.binary_cross_entropy_with_logits or torch.nn.BCEWithLogitsLoss on the "
      "values before the sigmoid instead.");
}

#define LOWER(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::LowerPrecision, op)
#define FLOAT(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::Float32, op)
#define RESULT(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::Float32Result, op)
#define WIDEST(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::Widest, op)

c10::KernelRow rows[] = {
    // Products and convolutions run in the lower precision.
    LOWER(_convolution),
    LOWER(addmm),
    LOWER(addmv),
    LOWER(baddbmm),
    LOWER(bmm),
    LOWER(conv_tbc),
    LOWER(conv1d),
    LOWER(conv2d),
    LOWER(conv3d),
    LOWER(conv_transpose1d),
    LOWER(conv_transpose2d_input),
    LOWER(conv_transpose3d_input),
    LOWER(convolution),
    LOWER(einsum),
    LOWER(gru_cell),
    LOWER(linalg_multi_dot),
    LOWER(linear),
    LOWER(lstm_cell),
    LOWER(matmul),
    LOWER(mm),
    LOWER(mv),
    LOWER(prelu),
    LOWER(rnn_relu_cell),
    LOWER(rnn_tanh_cell),
    LOWER(scaled_dot_product_attention),
    // PyTorch casts in their cuDNN kernels.
    LOWER(lstm_input),
    LOWER(lstm_data),
    LOWER(gru_input),
    LOWER(gru_data),
    LOWER(rnn_tanh_input),
    LOWER(rnn_tanh_data),
    LOWER(rnn_relu_input),
    LOWER(rnn_relu_data),
    // Losses and other functions with a small range of safe inputs run in float32.
    FLOAT(_upsample_bicubic2d_aa),
    FLOAT(_upsample_bilinear2d_aa),
    FLOAT(_upsample_nearest_exact1d),
    FLOAT(_upsample_nearest_exact2d),
    FLOAT(_upsample_nearest_exact3d),
    FLOAT(acos),
    FLOAT(asin),
    FLOAT(binary_cross_entropy_with_logits),
    FLOAT(cdist),
    FLOAT(cosh),
    FLOAT(cosine_embedding_loss),
    FLOAT(cosine_similarity),
    FLOAT(erfinv),
    FLOAT(exp),
    FLOAT(expm1),
    FLOAT(group_norm),
    FLOAT(hinge_embedding_loss),
    FLOAT(huber_loss),
    FLOAT(kl_div),
    FLOAT(l1_loss),
    FLOAT(layer_norm),
    FLOAT(log),
    FLOAT(log10),
    FLOAT(log1p),
    FLOAT(log2),
    FLOAT(logsumexp),
    FLOAT(margin_ranking_loss),
    FLOAT(mse_loss),
    FLOAT(multi_margin_loss),
    FLOAT(multilabel_margin_loss),
    FLOAT(native_layer_norm),
    FLOAT(nll_loss),
    FLOAT(nll_loss2d),
    FLOAT(pdist),
    FLOAT(poisson_nll_loss),
    FLOAT(pow_Scalar),
    FLOAT(pow_Tensor_Scalar),
    FLOAT(pow_Tensor_Tensor),
    FLOAT(reciprocal),
    FLOAT(rms_norm),
    FLOAT(rsqrt),
    FLOAT(sinh),
    FLOAT(smooth_l1_loss),
    FLOAT(soft_margin_loss),
    FLOAT(softplus),
    FLOAT(tan),
    FLOAT(triplet_margin_loss),
    FLOAT(upsample_bicubic2d),
    FLOAT(upsample_bilinear2d),
    FLOAT(upsample_linear1d),
    FLOAT(upsample_nearest1d),
    FLOAT(upsample_nearest2d),
    FLOAT(upsample_nearest3d),
    FLOAT(upsample_trilinear3d),
    // Sums and products over many elements return float32.
    RESULT(cumprod),
    RESULT(cumsum),
    RESULT(linalg_vector_norm),
    RESULT(log_softmax_int),
    RESULT(prod),
    RESULT(prod_dim_int),
    RESULT(softmax_int),
    RESULT(sum),
    RESULT(sum_dim_IntList),
    // Arguments of one dtype: the widest.
    WIDEST(bilinear),
    WIDEST(grid_sampler),
    WIDEST(addcdiv),
    WIDEST(addcmul),
    WIDEST(atan2),
    WIDEST(cross),
    WIDEST(dot),
    WIDEST(index_put),
    WIDEST(scatter_add),
    WIDEST(tensordot),
    WIDEST(vdot),
    {&at::_ops::norm_Scalar::entry, kAutocastKey, reinterpret_cast<c10::KernelPtr>(&norm)},
    {&at::_ops::norm_ScalarOpt_dim::entry, kAutocastKey,
     reinterpret_cast<c10::KernelPtr>(&norm_over)},
    {&at::_ops::binary_cross_entropy::entry, kAutocastKey,
     reinterpret_cast<c10::KernelPtr>(&refuse_binary_cross_entropy)},
};

#undef LOWER
#undef FLOAT
#undef RESULT
#undef WIDEST

const c10::KernelTable table(rows);

} // namespace
