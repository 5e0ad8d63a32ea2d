#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// A tile of attention scores [rows, cols], of float or double like every array here. Masks are
// added to the scores; `mask_col` is 1, or 0 if the mask has one number per row.
struct AttentionTile {
  void* scores;
  int64_t rows;
  int64_t cols;
  int64_t step; // from one row to the next
  const void* mask;
  int64_t mask_row;
  int64_t mask_col;
  int64_t allowed; // row r may attend to the columns below allowed + r
};

// The running softmax state of each row after the tiles so far; `result` is [rows, width], the sum
// of the values weighted by the exponentials, relative to `max`.
struct AttentionRows {
  void* max;
  void* sum;
  void* result;
  int64_t width;
};

// Turns scores into exponentials; sums and results are rescaled to the new maximum.
DECLARE_DISPATCH(
    void (*)(c10::ScalarType, const AttentionTile&, const AttentionRows&), attention_softmax_stub);

// Divides the results by the sums into `out` and stores the logarithm of each row's sum of
// exponentials in `lse`. A row that is masked completely gives zeros.
DECLARE_DISPATCH(
    void (*)(
        c10::ScalarType, const AttentionRows&, int64_t rows, void* out, int64_t out_step, void* lse,
        int64_t lse_step),
    attention_finish_stub);

// Turns scores into probabilities p, and `grad`, the gradient of p with the same step, into the
// gradient of the scores: p (grad - delta). lse and delta have one number per row.
DECLARE_DISPATCH(
    void (*)(c10::ScalarType, const AttentionTile&, void* grad, const void* lse, const void* delta),
    attention_gradient_stub);

// out[r] = a[r] . b[r]
DECLARE_DISPATCH(
    void (*)(
        c10::ScalarType, const void* a, int64_t a_step, const void* b, int64_t b_step, int64_t rows,
        int64_t width, void* out),
    row_dot_stub);

// A product of a few rows of floats with a matrix of a half type, which is read where it lies.
struct HalfProduct {
  int64_t rows;
  int64_t length; // rows of the matrix
  int64_t width;  // elements of each of them
  const float* left;
  int64_t left_step; // from one row to the next
  const void* matrix;
  int64_t matrix_step;
  float* out;
  int64_t out_step;
};

// out[r][i] = scale * left[r] . matrix[i]
DECLARE_DISPATCH(void (*)(c10::ScalarType, const HalfProduct&, float scale), half_row_dots_stub);

// out[r] += the sum of left[r][i] * matrix[i]
DECLARE_DISPATCH(void (*)(c10::ScalarType, const HalfProduct&), half_row_sums_stub);

} // namespace at::native
