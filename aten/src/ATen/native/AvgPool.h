#pragma once

#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>

#include <algorithm>

namespace at::native {

// The windows of an average pooling and the divisors of their sums: row_divisors[oh] *
// column_divisors[ow].
struct AvgPoolPlan {
  int64_t batch, channels;
  int64_t in_h, in_w;
  bool channels_last;
  std::vector<PoolWindow> rows, columns;
  std::vector<int64_t> row_divisors, column_divisors;
  PoolAxis row_axis, column_axis;

  int64_t out_h() const { return static_cast<int64_t>(rows.size()); }
  int64_t out_w() const { return static_cast<int64_t>(columns.size()); }
};

// The number of planes that justifies another thread.
inline int64_t avg_pool_grain(const AvgPoolPlan& p) {
  const int64_t size = p.in_h * p.in_w + p.out_h() * p.out_w();
  return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, size));
}

// Both take arrays as in Pool.h, of floating dtypes and int64.
using avg_pool2d_fn =
    void (*)(ScalarType dtype, const AvgPoolPlan& plan, const void* in, void* out);
DECLARE_DISPATCH(avg_pool2d_fn, avg_pool2d_stub);
DECLARE_DISPATCH(avg_pool2d_fn, avg_pool2d_backward_stub);

// Runs a kernel, or the one of the backward pass, on tensors of any strides.
void run_avg_pool(bool backward, const AvgPoolPlan& plan, const Tensor& in, const Tensor& out);

} // namespace at::native
