#pragma once

#include <ATen/native/DispatchStub.h>

#include <cstdint>

namespace at::native {

// Attention of bfloat16 for processors with a tile unit. Strides are in elements.
struct TileAttention {
  // A [batch, heads, length, width] array whose rows have adjacent elements.
  struct Heads {
    void* data;
    int64_t batch, head, row;
  };
  // A float array [batch, heads, queries, keys], added to the scores; its last stride is 1 or 0.
  struct Mask {
    const float* data; // may be null
    int64_t batch, head, row, col;
  };

  int64_t heads, queries, keys, width, value_width;
  float scale;
  bool causal;
  Heads query, key, value, out;
  Mask mask;
  float* lse; // [batch, heads, queries]
  int64_t lse_batch, lse_head, lse_row;

  // Queries that are computed together. Tasks are numbered as [batch][head][block of queries].
  static constexpr int64_t kQueries = 32;
};

// Computes the tasks from `begin` to `end`, where has_tile_unit(). Scores and their softmax are
// float; the exponentials are rounded to bfloat16 for the product with the values. A row that is
// masked completely gives zeros.
DECLARE_DISPATCH(
    void (*)(const TileAttention& job, int64_t begin, int64_t end), tile_attention_stub);

} // namespace at::native
