#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// A tile of attention scores [rows, cols], of float or double like every array here. Masks are
// added to the scores; `mask_col` is 1, or 0 for one number in each row.
struct AttentionTile {
  void* scores;
  int64_t rows;
  int64_t cols;
  int64_t step; // from one row to the next
  const void* mask;
  int64_t mask_row;
  int64_t mask_col;
  int64_t allowed; // row r may look at the columns below allowed + r
};

// What the softmax of each row knows after the tiles so far; `result` is [rows, width], the sum of
// the values weighted by the exponentials, relative to `max`.
struct AttentionRows {
  void* max;
  void* sum;
  void* result;
  int64_t width;
};

// Scores become exponentials; sums and results are rescaled to the new maximum.
DECLARE_DISPATCH(
    void (*)(c10::ScalarType, const AttentionTile&, const AttentionRows&), attention_softmax_stub);

// Divides the results by the sums into `out`, with the logarithm of the sum of exponentials of each
// row in `lse`. A row that may look at nothing gives zeros.
DECLARE_DISPATCH(
    void (*)(
        c10::ScalarType, const AttentionRows&, int64_t rows, void* out, int64_t out_step, void* lse,
        int64_t lse_step),
    attention_finish_stub);

// Scores become probabilities p, and `grad`, the gradient of p with the same step, that of the
// scores: p (grad - delta). lse and delta have one number for each row.
DECLARE_DISPATCH(
    void (*)(c10::ScalarType, const AttentionTile&, void* grad, const void* lse, const void* delta),
    attention_gradient_stub);

// out[r] = a[r] . b[r]
DECLARE_DISPATCH(
    void (*)(
        c10::ScalarType, const void* a, int64_t a_step, const void* b, int64_t b_step, int64_t rows,
        int64_t width, void* out),
    row_dot_stub);

} // namespace at::native
