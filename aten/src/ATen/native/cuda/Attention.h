#pragma once

#include <ATen/OpMathType.h>

#include <cstdint>

namespace at::native {

constexpr int64_t kWidestAttention = 128;

// In elements; the last dimension of queries, keys, values and gradients has stride 1.
struct AttentionStrides {
  int64_t batch, head, row, column;
};

struct AttentionShape {
  int64_t batch, heads, queries, keys, width;
  double scale;
  bool causal; // query i sees the keys up to i
  AttentionStrides query, key, value, bias, grad;
};

// output [batch, heads, queries, width]; logsumexp [batch, heads, queries] or null; bias may be
// null. `width` is at most kWidestAttention.
template <typename T>
void attention_forward(
    const AttentionShape& shape, const T* query, const T* key, const T* value, const T* bias,
    T* output, at::opmath_type<T>* logsumexp);

// Results have adjacent elements. `output_dots` is the product of each output row with its
// gradient.
template <typename T>
struct AttentionGradients {
  const T* query;
  const T* key;
  const T* value;
  const T* bias; // may be null
  const T* grad_output;
  const at::opmath_type<T>* logsumexp;
  const at::opmath_type<T>* output_dots;
  T* grad_query;
  T* grad_key;
  T* grad_value;
  T* grad_bias; // [batch, heads, queries, keys], or null
};
template <typename T>
void attention_backward(const AttentionShape& shape, const AttentionGradients<T>& gradients);

} // namespace at::native
