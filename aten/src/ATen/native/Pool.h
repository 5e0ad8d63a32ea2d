#pragma once

#include <ATen/core/TensorBase.h>
#include <ATen/native/DispatchStub.h>
#include <c10/core/DimVector.h>
#include <c10/core/MemoryFormat.h>
#include <c10/macros/Macros.h>

#include <vector>

// Shapes of two-dimensional pooling windows.
namespace at::native {

struct PoolShape {
  int64_t kernel_h, kernel_w;
  int64_t stride_h, stride_w;
  int64_t pad_h, pad_w;
  int64_t dilation_h, dilation_w;
  int64_t planes; // batch times channels
  int64_t channels;
  int64_t in_h, in_w;
  int64_t out_h, out_w;
};

// Checks the arguments and computes the output's height and width; `op` names the operator in
// errors.
PoolShape pool2d_shape(
    const char* op, const TensorBase& input, IntArrayRef kernel_size, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, bool ceil_mode);

// The number of windows along one dimension.
int64_t pooled_size(
    int64_t size, int64_t kernel, int64_t pad, int64_t stride, int64_t dilation, bool ceil_mode);

// The first element of a window and the end of the window.
struct PoolWindow {
  int64_t begin;
  int64_t end;
};

// The part of each of `count` windows that lies inside the input, in steps of its dilation.
std::vector<PoolWindow> pool_windows(
    int64_t count, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation, int64_t size);

// The windows of an adaptive pooling from `size` elements to `count`: [floor(i * size / count),
// ceil((i + 1) * size / count)).
std::vector<PoolWindow> adaptive_windows(int64_t count, int64_t size);

// The same windows as a formula, for kernels of devices, which calculate instead of reading arrays:
// those of pool_windows or, without a stride, of adaptive_windows.
struct PoolAxis {
  int64_t count = 0, size = 0;
  int64_t stride = 0, pad = 0, kernel = 0, dilation = 1;
  // The divisors of an average: the window's length, with the padding if it counts, or a constant.
  bool count_pad = false;
  int64_t constant = 0;

  C10_HOST_DEVICE PoolWindow window(int64_t out) const {
    if (stride == 0) {
      return {out * size / count, ((out + 1) * size + count - 1) / count};
    }
    int64_t begin = out * stride - pad;
    const int64_t end = begin + (kernel - 1) * dilation + 1;
    if (begin < 0) {
      begin += (-begin + dilation - 1) / dilation * dilation;
    }
    return {begin, end < size ? end : size};
  }
  C10_HOST_DEVICE int64_t divisor(int64_t out) const {
    if (constant != 0) {
      return constant;
    }
    if (stride != 0 && count_pad) {
      const int64_t begin = out * stride - pad;
      return (begin + kernel < size + pad ? begin + kernel : size + pad) - begin;
    }
    const PoolWindow inside = window(out);
    return inside.end - inside.begin;
  }
  // The windows without dilation that cover an element.
  C10_HOST_DEVICE PoolWindow covering(int64_t at) const {
    if (stride == 0) {
      return {at * count / size, ((at + 1) * count + size - 1) / size};
    }
    const int64_t first = at + pad - kernel + 1;
    const int64_t begin = first <= 0 ? 0 : (first + stride - 1) / stride;
    const int64_t end = (at + pad) / stride + 1;
    return {begin, end < count ? end : count};
  }
};

// The input of a pooling kernel: the windows of all output rows and columns, clipped to the input.
struct PoolPlan {
  int64_t planes;
  int64_t channels;
  int64_t in_h, in_w;
  int64_t dilation_h, dilation_w;
  std::vector<PoolWindow> rows;
  std::vector<PoolWindow> columns;
  PoolAxis row_axis, column_axis;

  int64_t out_h() const { return static_cast<int64_t>(rows.size()); }
  int64_t out_w() const { return static_cast<int64_t>(columns.size()); }
};

// Strides of a (C, H, W) or (N, C, H, W) output in the memory format of the input.
c10::DimVector pooled_strides(const TensorBase& input, IntArrayRef sizes);
bool pools_channels_last(const TensorBase& input);

// Computes the maximum of every window and its index in the plane (row * in_w + column). Arrays are
// contiguous: planes by rows by columns or, for channels last, batch by rows by columns by
// channels.
using max_pool2d_fn = void (*)(
    ScalarType dtype, const PoolPlan& plan, bool channels_last, const void* input, void* output,
    int64_t* indices);
DECLARE_DISPATCH(max_pool2d_fn, max_pool2d_stub);

// The channels-last version of the above.
using max_pool2d_pixels_fn = void (*)(
    ScalarType dtype, const PoolPlan& plan, const void* input, void* output, int64_t* indices);
DECLARE_DISPATCH(max_pool2d_pixels_fn, max_pool2d_pixels_stub);

struct PoolBackward {
  int64_t batch, channels;
  int64_t in_size, out_size; // elements of a plane
  bool channels_last;
};

// Sums the gradients by the input element that their index names, in arrays like those above.
using max_pool2d_backward_fn = void (*)(
    ScalarType dtype, const PoolBackward& shape, const void* grad, const int64_t* indices,
    void* grad_in);
DECLARE_DISPATCH(max_pool2d_backward_fn, max_pool2d_backward_stub);

// Raises an error if the gradient of an adaptive pooling is empty, but for the batch.
inline void check_adaptive_grad(const char* op, const TensorBase& grad) {
  for (int64_t d = 1; d < grad.dim(); ++d) {
    TORCH_CHECK(
        grad.size(d) > 0, op,
        "(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output "
        "has sizes ",
        grad.sizes(), " with dimension ", d, " being empty");
  }
}

} // namespace at::native
