// The operators that autocast changes on CPU devices. The lists are PyTorch's.
#include <ATen/AutocastKernels.h>
#include <ATen/ops/_cholesky_inverse_helper_ops.h>
#include <ATen/ops/_cholesky_solve_helper_ops.h>
#include <ATen/ops/adaptive_avg_pool3d_ops.h>
#include <ATen/ops/adaptive_max_pool3d_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/avg_pool3d_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/binary_cross_entropy_ops.h>
#include <ATen/ops/binary_cross_entropy_with_logits_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/cdist_ops.h>
#include <ATen/ops/conv1d_ops.h>
#include <ATen/ops/conv2d_ops.h>
#include <ATen/ops/conv3d_ops.h>
#include <ATen/ops/conv_tbc_ops.h>
#include <ATen/ops/conv_transpose1d_ops.h>
#include <ATen/ops/conv_transpose2d_ops.h>
#include <ATen/ops/conv_transpose3d_ops.h>
#include <ATen/ops/cosine_embedding_loss_ops.h>
#include <ATen/ops/cross_entropy_loss_ops.h>
#include <ATen/ops/ctc_loss_ops.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_ops.h>
#include <ATen/ops/fractional_max_pool2d_ops.h>
#include <ATen/ops/fractional_max_pool3d_ops.h>
#include <ATen/ops/geqrf_ops.h>
#include <ATen/ops/grid_sampler_2d_ops.h>
#include <ATen/ops/grid_sampler_3d_ops.h>
#include <ATen/ops/grid_sampler_ops.h>
#include <ATen/ops/hinge_embedding_loss_ops.h>
#include <ATen/ops/huber_loss_ops.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/kl_div_ops.h>
#include <ATen/ops/l1_loss_ops.h>
#include <ATen/ops/linalg_cholesky_ex_ops.h>
#include <ATen/ops/linalg_cholesky_ops.h>
#include <ATen/ops/linalg_eig_ops.h>
#include <ATen/ops/linalg_eigh_ops.h>
#include <ATen/ops/linalg_eigvals_ops.h>
#include <ATen/ops/linalg_eigvalsh_ops.h>
#include <ATen/ops/linalg_householder_product_ops.h>
#include <ATen/ops/linalg_inv_ex_ops.h>
#include <ATen/ops/linalg_inv_ops.h>
#include <ATen/ops/linalg_qr_ops.h>
#include <ATen/ops/linalg_solve_ops.h>
#include <ATen/ops/linalg_svd_ops.h>
#include <ATen/ops/linalg_svdvals_ops.h>
#include <ATen/ops/linear_ops.h>
#include <ATen/ops/lstm_ops.h>
#include <ATen/ops/margin_ranking_loss_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/max_pool3d_ops.h>
#include <ATen/ops/max_unpool2d_ops.h>
#include <ATen/ops/max_unpool3d_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/multi_margin_loss_ops.h>
#include <ATen/ops/multilabel_margin_loss_ops.h>
#include <ATen/ops/nanquantile_ops.h>
#include <ATen/ops/nll_loss2d_ops.h>
#include <ATen/ops/nll_loss_ops.h>
#include <ATen/ops/orgqr_ops.h>
#include <ATen/ops/ormqr_ops.h>
#include <ATen/ops/poisson_nll_loss_ops.h>
#include <ATen/ops/polar_ops.h>
#include <ATen/ops/prelu_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/quantile_ops.h>
#include <ATen/ops/reflection_pad1d_ops.h>
#include <ATen/ops/reflection_pad2d_ops.h>
#include <ATen/ops/replication_pad1d_ops.h>
#include <ATen/ops/replication_pad2d_ops.h>
#include <ATen/ops/replication_pad3d_ops.h>
#include <ATen/ops/scaled_dot_product_attention_ops.h>
#include <ATen/ops/smooth_l1_loss_ops.h>
#include <ATen/ops/soft_margin_loss_ops.h>
#include <ATen/ops/stack_ops.h>
#include <ATen/ops/triplet_margin_loss_ops.h>
#include <ATen/ops/view_as_complex_ops.h>

namespace {

constexpr c10::DispatchKey kAutocastKey = c10::DispatchKey::AutocastCPU;

#define LOWER(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::LowerPrecision, op)
#define FLOAT(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::Float32, op)
#define WIDEST(op) AT_AUTOCAST_ROW(at::autocast::CastPolicy::Widest, op)

c10::KernelRow rows[] = {
    // Products and convolutions run in the lower precision.
    LOWER(addmm),
    LOWER(baddbmm),
    LOWER(bmm),
    LOWER(conv1d),
    LOWER(conv1d_padding),
    LOWER(conv2d),
    LOWER(conv2d_padding),
    LOWER(conv3d),
    LOWER(conv3d_padding),
    LOWER(conv_tbc),
    LOWER(conv_transpose1d),
    LOWER(conv_transpose2d_input),
    LOWER(conv_transpose3d_input),
    LOWER(linear),
    LOWER(matmul),
    LOWER(mm),
    LOWER(prelu),
    LOWER(scaled_dot_product_attention),
    LOWER(lstm_input),
    // Losses and other functions with a small range of safe inputs run in float32.
    FLOAT(adaptive_avg_pool3d),
    FLOAT(adaptive_max_pool3d),
    FLOAT(avg_pool3d),
    FLOAT(binary_cross_entropy),
    FLOAT(binary_cross_entropy_with_logits),
    FLOAT(cdist),
    FLOAT(cosine_embedding_loss),
    FLOAT(cross_entropy_loss),
    FLOAT(ctc_loss_IntList),
    FLOAT(ctc_loss_Tensor),
    FLOAT(fake_quantize_per_tensor_affine),
    FLOAT(fractional_max_pool2d),
    FLOAT(fractional_max_pool3d),
    FLOAT(geqrf),
    FLOAT(grid_sampler),
    FLOAT(grid_sampler_2d),
    FLOAT(grid_sampler_3d),
    FLOAT(hinge_embedding_loss),
    FLOAT(huber_loss),
    FLOAT(kl_div),
    FLOAT(l1_loss),
    FLOAT(linalg_cholesky),
    FLOAT(linalg_cholesky_ex),
    FLOAT(linalg_eig),
    FLOAT(linalg_eigh),
    FLOAT(linalg_eigvals),
    FLOAT(linalg_eigvalsh),
    FLOAT(linalg_householder_product),
    FLOAT(linalg_inv),
    FLOAT(linalg_inv_ex),
    FLOAT(linalg_qr),
    FLOAT(_cholesky_inverse_helper),
    FLOAT(_cholesky_solve_helper),
    FLOAT(linalg_solve),
    FLOAT(linalg_svd),
    FLOAT(linalg_svdvals),
    FLOAT(margin_ranking_loss),
    FLOAT(max_pool3d),
    FLOAT(max_unpool2d),
    FLOAT(max_unpool3d),
    FLOAT(mse_loss),
    FLOAT(multi_margin_loss),
    FLOAT(multilabel_margin_loss),
    FLOAT(nanquantile),
    FLOAT(nanquantile_scalar),
    FLOAT(nll_loss),
    FLOAT(nll_loss2d),
    FLOAT(orgqr),
    FLOAT(ormqr),
    FLOAT(poisson_nll_loss),
    FLOAT(polar),
    FLOAT(prod),
    FLOAT(prod_dim_int),
    FLOAT(quantile),
    FLOAT(quantile_scalar),
    FLOAT(reflection_pad1d),
    FLOAT(reflection_pad2d),
    FLOAT(replication_pad1d),
    FLOAT(replication_pad2d),
    FLOAT(replication_pad3d),
    FLOAT(smooth_l1_loss),
    FLOAT(soft_margin_loss),
    FLOAT(triplet_margin_loss),
    FLOAT(view_as_complex),
    // Arguments of one dtype: the widest.
    WIDEST(cat),
    WIDEST(index_copy),
    WIDEST(stack),
};

#undef LOWER
#undef FLOAT
#undef WIDEST

const c10::KernelTable table(rows);

} // namespace
