#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/Pool.h>

#include <array>

// Pooling over the last three dimensions. The windows are boxes: one interval of every axis.
namespace at::native {

using Triple = std::array<int64_t, 3>;

struct PoolBoxes {
  int64_t planes = 0; // batch times channels
  Triple in{}, out{};
  Triple dilation = {1, 1, 1};
  std::array<std::vector<PoolWindow>, 3> windows;

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

// Checks a (C, D, H, W) or (N, C, D, H, W) input.
void check_pool3d_input(const char* op, const Tensor& input);

// The sizes of the output: the input's, with the last three replaced.
c10::DimVector pool3d_sizes(const Tensor& input, const PoolBoxes& boxes);

// The arguments of a pooling; each list has one or three numbers, `stride` also none.
struct Window3d {
  IntArrayRef kernel, stride, padding, dilation;
  bool ceil_mode;
};

Triple triple_of(const char* op, const char* name, IntArrayRef values);
PoolBoxes strided_boxes(const char* op, const Tensor& input, const Window3d& window);

// The boxes of an adaptive pooling; `op` names the operator in errors.
PoolBoxes adaptive_boxes(const char* op, const Tensor& input, IntArrayRef output_size);

// Adds every output's gradient to the element of its plane that its index names. The planes are the
// last `dims` dimensions.
Tensor scatter_to_maxima(
    const char* op, const Tensor& grad, const Tensor& self, const Tensor& indices, int64_t dims);

// The 16-bit floating dtypes are computed in float32.
Tensor widened(const Tensor& tensor);

} // namespace at::native
