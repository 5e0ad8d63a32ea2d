#pragma once

#include <ATen/native/Pool.h>

namespace at::native {

// The windows of an average pooling and what to divide their sums by: row_divisors[oh] *
// column_divisors[ow].
struct AvgPoolPlan {
  int64_t batch, channels;
  int64_t in_h, in_w;
  bool channels_last;
  std::vector<PoolWindow> rows, columns;
  std::vector<int64_t> row_divisors, column_divisors;

  int64_t out_h() const { return static_cast<int64_t>(rows.size()); }
  int64_t out_w() const { return static_cast<int64_t>(columns.size()); }
};

// Both over arrays as in Pool.h, forward also of int64.
using avg_pool2d_fn =
    void (*)(ScalarType dtype, const AvgPoolPlan& plan, const void* in, void* out);
DECLARE_DISPATCH(avg_pool2d_fn, avg_pool2d_stub);
DECLARE_DISPATCH(avg_pool2d_fn, avg_pool2d_backward_stub);

// Runs a kernel between tensors of any strides.
void run_avg_pool(
    avg_pool2d_fn kernel, const AvgPoolPlan& plan, const Tensor& in, const Tensor& out);

} // namespace at::native
