#pragma once
// The geometry of sliding windows, which Im2Col and Col2Im share.
#include <TH/THTensorApply.h>

#include <algorithm>
#include <vector>

namespace thnn {

struct Windows {
  int64_t height, width; // the image
  int64_t kernel_height, kernel_width;
  int64_t dilation_height, dilation_width;
  int64_t padding_height, padding_width;
  int64_t stride_height, stride_width;

  int64_t rows() const {
    return count(height, kernel_height, dilation_height, padding_height, stride_height);
  }
  int64_t columns() const {
    return count(width, kernel_width, dilation_width, padding_width, stride_width);
  }
  int64_t kernel_size() const { return kernel_height * kernel_width; }

  void check() const {
    TORCH_CHECK(
        kernel_height > 0 && kernel_width > 0 && dilation_height > 0 && dilation_width > 0 &&
            stride_height > 0 && stride_width > 0 && padding_height >= 0 && padding_width >= 0,
        "sizes of the kernel, dilations and strides must be positive, and padding not negative");
    TORCH_CHECK(
        rows() > 0 && columns() > 0, "an image of ", height, " x ", width,
        " is smaller than the kernel of ", kernel_height, " x ", kernel_width);
  }

  // Calls visit(column, pixel) for every place of the kernel, in the order of the columns' memory:
  // `column` is an index into [kernel_size, rows * columns], `pixel` one into [height, width], or
  // -1 in the padding.
  template <typename Visit>
  void each(const Visit& visit) const {
    const int64_t last_row = rows(), last_column = columns();
    int64_t index = 0;
    for (int64_t place = 0; place < kernel_size(); ++place) {
      const int64_t top = place / kernel_width * dilation_height - padding_height;
      const int64_t left = place % kernel_width * dilation_width - padding_width;
      for (int64_t row = 0; row < last_row; ++row) {
        const int64_t y = row * stride_height + top;
        for (int64_t column = 0; column < last_column; ++column, ++index) {
          const int64_t x = column * stride_width + left;
          const bool inside = y >= 0 && y < height && x >= 0 && x < width;
          visit(index, inside ? y * width + x : -1);
        }
      }
    }
  }

 private:
  static int64_t count(
      int64_t size, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride) {
    const int64_t room = size + 2 * padding - (dilation * (kernel - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
  }
};

// Copies each window of [N, C, H, W] or [C, H, W] images to a column of [N, C * kernel, windows].
template <typename T>
void im2col(c10::TensorImpl* input, c10::TensorImpl* output, const Windows& windows) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 3 || dim == 4, "expected 3 or 4 dimensions, but got ", input->sizes());
  windows.check();
  const th::Elements<T> images(input);
  const int64_t channels = input->size(dim - 3);
  const int64_t window_count = windows.rows() * windows.columns();
  std::vector<int64_t> sizes{channels * windows.kernel_size(), window_count};
  if (dim == 4) {
    sizes.insert(sizes.begin(), input->size(0));
  }
  const int64_t planes = images.size() / (windows.height * windows.width);
  th::Results<T> columns(output, sizes);
  for (int64_t plane = 0; plane < planes; ++plane) {
    const T* image = images.begin() + plane * windows.height * windows.width;
    T* column = columns.begin() + plane * windows.kernel_size() * window_count;
    windows.each([&](int64_t to, int64_t from) { column[to] = from < 0 ? T(0) : image[from]; });
  }
  columns.store();
}

// The reverse: adds each column to the pixels of its window.
template <typename T>
void col2im(c10::TensorImpl* input, c10::TensorImpl* output, const Windows& windows) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 2 || dim == 3, "expected 2 or 3 dimensions, but got ", input->sizes());
  windows.check();
  const int64_t window_count = windows.rows() * windows.columns();
  TORCH_CHECK(
      input->size(dim - 2) % windows.kernel_size() == 0 && input->size(dim - 1) == window_count,
      "expected [N, C * ", windows.kernel_size(), ", ", window_count, "], but got ",
      input->sizes());
  const th::Elements<T> columns(input);
  std::vector<int64_t> sizes{
      input->size(dim - 2) / windows.kernel_size(), windows.height, windows.width};
  if (dim == 3) {
    sizes.insert(sizes.begin(), input->size(0));
  }
  const int64_t planes = columns.size() / (windows.kernel_size() * window_count);
  th::Results<T> images(output, sizes);
  std::fill(images.begin(), images.end(), T(0));
  for (int64_t plane = 0; plane < planes; ++plane) {
    T* image = images.begin() + plane * windows.height * windows.width;
    const T* column = columns.begin() + plane * windows.kernel_size() * window_count;
    windows.each([&](int64_t from, int64_t to) {
      if (to >= 0) image[to] += column[from];
    });
  }
  images.store();
}

} // namespace thnn
