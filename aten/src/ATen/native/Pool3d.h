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
  std::array<PoolAxis, 3> axes; // the same windows as formulas, and the divisors of averages

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

// Kernels over contiguous planes of float, double and int64. The indices of maxima are those of the
// plane's elements.
DECLARE_DISPATCH(
    void (*)(ScalarType, const PoolBoxes&, const void* in, void* out, int64_t* indices),
    max_pool3d_stub);
using avg_pool3d_fn = void (*)(ScalarType, const PoolBoxes&, const void* in, void* out);
DECLARE_DISPATCH(avg_pool3d_fn, avg_pool3d_stub);
// `out` holds zeros.
DECLARE_DISPATCH(avg_pool3d_fn, avg_pool3d_backward_stub);

// Fractional pooling; over two dimensions the depth is one. The samples of a plane start with the
// width's for two dimensions, and with the depth's for three.
struct FractionalPool {
  int64_t planes, dims;
  Triple in, kernel, out;

  // The first element of window i along an axis; the last window ends where the input does.
  template <typename T>
  C10_HOST_DEVICE static int64_t start(
      T sample, int64_t i, int64_t in, int64_t out, int64_t kernel) {
    if (i == out - 1) {
      return in - kernel;
    }
    const T alpha = static_cast<T>(in - kernel) / static_cast<T>(out - 1);
    return static_cast<int64_t>((static_cast<T>(i) + sample) * alpha) -
        static_cast<int64_t>(sample * alpha);
  }
};
// For float and double.
DECLARE_DISPATCH(
    void (*)(
        ScalarType, const FractionalPool&, const void* in, const void* samples, void* out,
        int64_t* indices),
    fractional_max_pool_stub);

} // namespace at::native
