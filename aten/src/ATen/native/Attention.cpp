// scaled_dot_product_attention: softmax(scale q k^T + mask) v, by tiles or with whole matrices.

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_attention_math_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/all.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace at::native {

namespace {

// PyTorch's values for its backends.
constexpr int64_t kNone = -1;
constexpr int64_t kMath = 0;
constexpr int64_t kFlash = 1;
constexpr int64_t kEfficient = 2;

void check_inputs(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& mask) {
  TORCH_CHECK(
      query.scalar_type() == key.scalar_type() && query.scalar_type() == value.scalar_type(),
      "Expected query, key, and value to have the same dtype, but got query.dtype: ", query.dtype(),
      " key.dtype: ", key.dtype(), " and value.dtype: ", value.dtype(), " instead.");
  TORCH_CHECK(
      query.device() == key.device() && query.device() == value.device(),
      "Expected query, key, and value to have the same device type, but got query.device: ",
      query.device(), " key.device: ", key.device(), " and value.device: ", value.device(),
      " instead.");
  TORCH_CHECK(
      query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
      "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ",
      query.dim(), " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  if (mask.has_value() && mask->defined()) {
    const ScalarType dtype = mask->scalar_type();
    TORCH_CHECK(
        dtype == kBool || dtype == kFloat || dtype == query.scalar_type(),
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
        "attn_mask.dtype: ",
        mask->dtype(), " and  query.dtype: ", query.dtype(), " instead.");
    TORCH_CHECK(
        query.device() == mask->device(),
        "Expected attn_mask to be on the same device as query, but got attn_mask.device: ",
        mask->device(), " and query.device: ", query.device(), " instead.");
  }
}

// The tensor that is added to the scores: where a bool mask is false it is minus infinity,
// elsewhere 0.
std::optional<Tensor> added_mask(const std::optional<Tensor>& mask, ScalarType dtype) {
  if (!mask.has_value() || !mask->defined() || mask->scalar_type() != kBool) {
    return mask;
  }
  return at::methods::masked_fill_(
      at::zeros_like(*mask, mask->options().dtype(dtype)), at::logical_not(*mask),
      -std::numeric_limits<double>::infinity());
}

bool needs_gradient(const std::optional<Tensor>& mask) {
  return mask.has_value() && mask->defined() && mask->requires_grad() && GradMode::is_enabled();
}

// Whether the flash kernel can add a mask: it has one row and column per query and key, or is
// broadcast to them.
bool mask_fits(const std::optional<Tensor>& mask, const Tensor& query, const Tensor& key) {
  if (!mask.has_value() || !mask->defined()) return true;
  if ((mask->dim() != 2 && mask->dim() != 4) || needs_gradient(mask)) return false;
  const std::array<int64_t, 4> scores{query.size(0), query.size(1), query.size(2), key.size(2)};
  const auto expected = scores.end() - mask->dim();
  return std::equal(
      mask->sizes().begin(), mask->sizes().end(), expected,
      [](int64_t own, int64_t wanted) { return own == 1 || own == wanted; });
}

// Repeats the heads of key or value to match the heads of the query.
Tensor repeat_heads(const Tensor& tensor, int64_t heads) {
  const int64_t own = tensor.size(-3);
  if (own == heads) {
    return tensor;
  }
  TORCH_CHECK(
      own > 0 && heads % own == 0,
      "Number of heads in key and value must divide the number of heads in ");
  DimVector wide(tensor.sizes());
  wide.insert(wide.end() - 2, heads / own);
  DimVector sizes(tensor.sizes());
  sizes[sizes.size() - 3] = heads;
  return at::reshape(at::methods::expand(at::unsqueeze(tensor, -3), wide), sizes);
}

// Whether heads that share keys can be computed as the queries of one head: there is one query of
// each, and no mask tells them apart.
bool heads_are_queries(
    const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask,
    bool causal) {
  const bool same_mask = !mask.has_value() || !mask->defined() || mask->dim() < 3 ||
      (mask->size(-3) == 1 && mask->size(-2) == 1);
  return query.size(2) == 1 && !causal && same_mask && key.size(1) == value.size(1) &&
      key.size(1) > 0 && key.size(1) < query.size(1) && query.size(1) % key.size(1) == 0;
}

// softmax over the last dimension; a row that is masked completely gives zeros.
Tensor softmax_of_masked(const Tensor& scores, bool masked) {
  Tensor weights = at::softmax(scores, -1);
  if (!masked) {
    return weights;
  }
  const Tensor nothing = at::all(scores == -std::numeric_limits<double>::infinity(), -1, true);
  return at::masked_fill(weights, nothing, 0);
}

} // namespace

int64_t _fused_sdp_choice_cpu(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_mask, double dropout_p, bool /*is_causal*/,
    std::optional<double> /*scale*/, bool /*enable_gqa*/) {
  const auto is_four = [](const Tensor& t) { return t.dim() == 4 && t.numel() > 0; };
  const bool fits = is_four(query) && is_four(key) && is_four(value) &&
      c10::isFloatingType(query.scalar_type()) && !c10::isStorageType(query.scalar_type()) &&
      query.size(3) == value.size(3) && query.size(0) == key.size(0) &&
      query.size(0) == value.size(0);
  const Context& context = globalContext();
  const bool math = context.userEnabledMathSDP(), flash = context.userEnabledFlashSDP();
  if (!math && !flash) return kNone;
  if (flash && fits && mask_fits(attn_mask, query, key) && dropout_p == 0) return kFlash;
  TORCH_CHECK(math, "No available kernel. Aborting execution.");
  return kMath;
}

Tensor scaled_dot_product_attention(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
    std::optional<double> scale, bool enable_gqa) {
  check_inputs(query, key, value, attn_mask);
  const std::optional<Tensor> mask = added_mask(attn_mask, query.scalar_type());
  const int64_t choice =
      at::_fused_sdp_choice(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa);
  TORCH_CHECK(
      choice != kNone,
      "No viable backend for scaled_dot_product_attention was found. This is likely due to turning "
      "off both the math kernel and the fused kernels.");
  // A device may choose from copies, which do not say whether the mask needs a gradient.
  if (choice == kFlash && !needs_gradient(mask)) {
    const int64_t heads = query.size(1);
    if (enable_gqa && heads_are_queries(query, key, value, mask, is_causal)) {
      const Tensor grouped =
          at::reshape(query, {query.size(0), key.size(1), heads / key.size(1), query.size(3)});
      const Tensor result = std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
          grouped, key, value, dropout_p, is_causal, mask, scale));
      return at::reshape(result, {query.size(0), heads, 1, value.size(3)});
    }
    const Tensor k = enable_gqa ? repeat_heads(key, heads) : key;
    const Tensor v = enable_gqa ? repeat_heads(value, heads) : value;
    if (k.size(1) == heads && v.size(1) == heads) {
      return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
          query, k, v, dropout_p, is_causal, mask, scale));
    }
  }
  if (choice == kEfficient) {
    const Tensor k = enable_gqa ? repeat_heads(key, query.size(1)) : key;
    const Tensor v = enable_gqa ? repeat_heads(value, query.size(1)) : value;
    if (k.size(1) == query.size(1) && v.sizes() == k.sizes()) {
      const bool for_gradient = GradMode::is_enabled() &&
          (query.requires_grad() || k.requires_grad() || v.requires_grad() || needs_gradient(mask));
      return std::get<0>(at::_scaled_dot_product_efficient_attention(
          query, k, v, mask, for_gradient, dropout_p, is_causal, scale));
    }
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(
      query, key, value, mask, dropout_p, is_causal, std::nullopt, scale, enable_gqa));
}

std::tuple<Tensor, Tensor> _scaled_dot_product_attention_math(
    const Tensor& query_, const Tensor& key_, const Tensor& value_,
    const std::optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
    const std::optional<Tensor>& dropout_mask, std::optional<double> scale, bool enable_gqa) {
  TORCH_CHECK(
      !is_causal || !attn_mask.has_value() || !attn_mask->defined(),
      "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  // 16-bit floats are rounded once, at the end.
  const ScalarType dtype = query_.scalar_type();
  const bool widens =
      c10::isHalfFloatingType(dtype) && !at::globalContext().allowFP16BF16ReductionMathSDP();
  const auto wide = [&](const Tensor& t) { return widens ? at::methods::to(t, kFloat) : t; };
  const auto rounded = [&](const Tensor& t) { return widens ? at::methods::to(t, dtype) : t; };
  const Tensor query = wide(query_), key = wide(key_), value = wide(value_);
  const double factor = scale.value_or(1.0 / std::sqrt(static_cast<double>(query.size(-1))));
  const Tensor k = enable_gqa ? repeat_heads(key, query.size(-3)) : key;
  const Tensor v = enable_gqa ? repeat_heads(value, query.size(-3)) : value;
  // Applying half of the scale to each side keeps products of 16-bit numbers in range.
  const double half = std::sqrt(std::abs(factor));
  Tensor scores = at::matmul(query * half, at::transpose(k, -2, -1) * (factor < 0 ? -half : half));
  const std::optional<Tensor> mask = added_mask(attn_mask, query.scalar_type());
  const bool masked = is_causal || (mask.has_value() && mask->defined());
  if (is_causal) {
    const Tensor seen =
        at::tril(at::ones({query.size(-2), key.size(-2)}, query.options().dtype(kBool)));
    scores =
        at::masked_fill(scores, at::logical_not(seen), -std::numeric_limits<double>::infinity());
  }
  if (mask.has_value() && mask->defined()) {
    scores = scores + *mask;
  }
  const Tensor weights = softmax_of_masked(scores, masked);
  if (dropout_p == 0) {
    return {rounded(at::matmul(weights, v)), rounded(weights)};
  }
  if (dropout_mask.has_value() && dropout_mask->defined()) {
    const Tensor kept = at::masked_fill(weights, at::logical_not(*dropout_mask), 0);
    return {rounded(at::matmul(kept, v * (1.0 / (1.0 - dropout_p)))), rounded(kept)};
  }
  const Tensor kept = at::dropout(weights, dropout_p, /*train=*/true);
  return {rounded(at::matmul(kept, v)), rounded(kept)};
}

} // namespace at::native
