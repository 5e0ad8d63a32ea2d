// scaled_dot_product_attention's fused operators on CUDA devices.

#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/cuda/Attention.h>

#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward_native.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace at::native {
namespace {

// PyTorch's values for its backends.
constexpr int64_t kMath = 0;
constexpr int64_t kEfficient = 2;

Tensor with_adjacent_columns(const Tensor& tensor) {
  return tensor.stride(-1) == 1 || tensor.size(-1) == 1 ? tensor : tensor.contiguous();
}

AttentionStrides strides_of(const Tensor& t) {
  return {t.stride(0), t.stride(1), t.stride(2), t.stride(3)};
}

// The operands as the kernels read them.
struct Operands {
  Tensor query, key, value, bias;
  AttentionShape shape = {};

  Operands(
      const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& given_bias, bool causal,
      std::optional<double> scale)
      : query(with_adjacent_columns(q)),
        key(with_adjacent_columns(k)),
        value(with_adjacent_columns(v)) {
    TORCH_CHECK(
        q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && k.sizes() == v.sizes() &&
            q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3) &&
            q.size(3) <= kWidestAttention,
        "_scaled_dot_product_efficient_attention: sizes ", q.sizes(), ", ", k.sizes(), " and ",
        v.sizes(), " do not fit or have more than ", kWidestAttention, " columns");
    TORCH_CHECK(
        q.scalar_type() == k.scalar_type() && q.scalar_type() == v.scalar_type(),
        "_scaled_dot_product_efficient_attention: expected one dtype, got ", q.scalar_type(), ", ",
        k.scalar_type(), " and ", v.scalar_type());
    shape.batch = q.size(0);
    shape.heads = q.size(1);
    shape.queries = q.size(2);
    shape.keys = k.size(2);
    shape.width = q.size(3);
    shape.scale = scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
    shape.causal = causal;
    shape.query = strides_of(query);
    shape.key = strides_of(key);
    shape.value = strides_of(value);
    if (given_bias.defined()) {
      bias = at::methods::expand(
          at::methods::to(given_bias, q.scalar_type()),
          {shape.batch, shape.heads, shape.queries, shape.keys});
      shape.bias = strides_of(bias);
    }
  }
};

template <typename T>
const T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<T>() : nullptr;
}

// Calls run with a value of the dtype's C++ type.
template <typename Run>
void for_attention_dtype(ScalarType dtype, const Run& run) {
  switch (dtype) {
    case ScalarType::Float:
      return run(float());
    case ScalarType::Double:
      return run(double());
    case ScalarType::Half:
      return run(c10::Half());
    case ScalarType::BFloat16:
      return run(c10::BFloat16());
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(
          false, "\"_scaled_dot_product_efficient_attention\" not implemented for '",
          c10::toString(dtype), "'");
  }
}

ScalarType dtype_of_sums(ScalarType dtype) {
  return dtype == ScalarType::Double ? dtype : ScalarType::Float;
}

void check_no_dropout(double dropout_p) {
  TORCH_CHECK(
      dropout_p == 0, "_scaled_dot_product_efficient_attention: dropout is not supported; ",
      "scaled_dot_product_attention computes it with whole matrices");
}

} // namespace

int64_t _fused_sdp_choice_cuda(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& /*attn_mask*/, double dropout_p, bool /*is_causal*/,
    std::optional<double> /*scale*/, bool /*enable_gqa*/) {
  const auto is_four = [](const Tensor& t) { return t.dim() == 4 && t.numel() > 0; };
  const bool fits = is_four(query) && is_four(key) && is_four(value) &&
      c10::isFloatingType(query.scalar_type()) && query.size(3) <= kWidestAttention &&
      query.size(3) == value.size(3) && query.size(3) == key.size(3) &&
      query.size(0) == key.size(0) && query.size(0) == value.size(0);
  return fits && dropout_p == 0 ? kEfficient : kMath;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _scaled_dot_product_efficient_attention_cuda(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& attn_bias, bool compute_log_sumexp, double dropout_p,
    bool is_causal, std::optional<double> scale) {
  check_no_dropout(dropout_p);
  const Operands o(query, key, value, attn_bias.value_or(Tensor()), is_causal, scale);
  const ScalarType wide = dtype_of_sums(query.scalar_type());
  const Tensor output = at::empty(query.sizes(), query.options());
  const Tensor logsumexp = at::empty(
      {query.size(0), query.size(1), compute_log_sumexp ? query.size(2) : 0},
      query.options().dtype(wide));
  if (output.numel() > 0) {
    for_attention_dtype(query.scalar_type(), [&]<typename T>(T) {
      using Wide = at::opmath_type<T>;
      attention_forward<T>(
          o.shape, o.query.const_data_ptr<T>(), o.key.const_data_ptr<T>(),
          o.value.const_data_ptr<T>(), data_or_null<T>(o.bias), output.mutable_data_ptr<T>(),
          compute_log_sumexp ? logsumexp.mutable_data_ptr<Wide>() : nullptr);
    });
  }
  const Tensor unused = at::zeros({}, query.options().dtype(ScalarType::Long));
  return {output, logsumexp, unused, unused};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> _scaled_dot_product_efficient_attention_backward_cuda(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& attn_bias, const Tensor& out, const Tensor& logsumexp,
    const Tensor& /*philox_seed*/, const Tensor& /*philox_offset*/, double dropout_p,
    std::array<bool, 4> grad_input_mask, bool is_causal, std::optional<double> scale) {
  if (!grad_out.defined()) {
    return {};
  }
  check_no_dropout(dropout_p);
  Operands o(query, key, value, attn_bias, is_causal, scale);
  const Tensor grad = with_adjacent_columns(grad_out);
  o.shape.grad = strides_of(grad);
  const ScalarType wide = dtype_of_sums(query.scalar_type());
  const Tensor dots =
      at::sum(at::mul(at::methods::to(grad, wide), at::methods::to(out, wide)), -1).contiguous();
  const auto like = [](const Tensor& t) { return at::zeros(t.sizes(), t.options()); };
  const bool wants_bias = attn_bias.defined() && grad_input_mask[3];
  const Tensor grad_query = like(query), grad_key = like(key), grad_value = like(value);
  Tensor grad_bias;
  if (wants_bias) {
    grad_bias = at::zeros(o.bias.sizes(), query.options());
  }
  if (query.numel() > 0 && key.numel() > 0) {
    for_attention_dtype(query.scalar_type(), [&]<typename T>(T) {
      using Wide = at::opmath_type<T>;
      attention_backward<T>(
          o.shape,
          {o.query.const_data_ptr<T>(), o.key.const_data_ptr<T>(), o.value.const_data_ptr<T>(),
           data_or_null<T>(o.bias), grad.const_data_ptr<T>(), logsumexp.const_data_ptr<Wide>(),
           dots.const_data_ptr<Wide>(), grad_query.mutable_data_ptr<T>(),
           grad_key.mutable_data_ptr<T>(), grad_value.mutable_data_ptr<T>(),
           wants_bias ? grad_bias.mutable_data_ptr<T>() : nullptr});
    });
  }
  if (wants_bias) {
    grad_bias = at::methods::to(at::sum_to(grad_bias, attn_bias.sizes()), attn_bias.scalar_type());
  }
  return {grad_query, grad_key, grad_value, grad_bias};
}

} // namespace at::native
