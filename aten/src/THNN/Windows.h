#pragma once
// The geometry of sliding windows, which Im2Col and Col2Im share.
#include <TH/THTensorApply.h>

#include <vector>

namespace thnn {

struct Windows {
  int64_t height, width; // the image
  int64_t kernel_height, kernel_width;
  int64_t dilation_height, dilation_width;
  int64_t padding_height, padding_width;
  int64_t stride_height, stride_width;

  C10_HOST_DEVICE int64_t rows() const {
    return count(height, kernel_height, dilation_height, padding_height, stride_height);
  }
  C10_HOST_DEVICE int64_t columns() const {
    return count(width, kernel_width, dilation_width, padding_width, stride_width);
  }
  C10_HOST_DEVICE int64_t kernel_size() const { return kernel_height * kernel_width; }

  void check() const {
    TORCH_CHECK(
        kernel_height > 0 && kernel_width > 0 && dilation_height > 0 && dilation_width > 0 &&
            stride_height > 0 && stride_width > 0 && padding_height >= 0 && padding_width >= 0,
        "sizes of the kernel, dilations and strides must be positive, and padding not negative");
    TORCH_CHECK(
        rows() > 0 && columns() > 0, "an image of ", height, " x ", width,
        " is smaller than the kernel of ", kernel_height, " x ", kernel_width);
  }

  // For an index into the columns, [kernel_size, rows * columns], the index into the image's
  // [height, width]; -1 in the padding.
  C10_HOST_DEVICE int64_t pixel(int64_t index) const {
    const int64_t window_columns = columns();
    const int64_t window = index % (rows() * window_columns),
                  place = index / (rows() * window_columns);
    const int64_t y = window / window_columns * stride_height - padding_height +
        place / kernel_width * dilation_height;
    const int64_t x = window % window_columns * stride_width - padding_width +
        place % kernel_width * dilation_width;
    return y >= 0 && y < height && x >= 0 && x < width ? y * width + x : -1;
  }

  // The reverse: for a pixel and a place of the kernel, the index into the columns; -1 if no window
  // has the pixel there.
  C10_HOST_DEVICE int64_t column(int64_t pixel, int64_t place) const {
    const int64_t y = pixel / width + padding_height - place / kernel_width * dilation_height;
    const int64_t x = pixel % width + padding_width - place % kernel_width * dilation_width;
    if (y < 0 || x < 0 || y % stride_height != 0 || x % stride_width != 0) return -1;
    const int64_t row = y / stride_height, column = x / stride_width;
    if (row >= rows() || column >= columns()) return -1;
    return (place * rows() + row) * columns() + column;
  }

 private:
  C10_HOST_DEVICE static int64_t count(
      int64_t size, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride) {
    const int64_t room = size + 2 * padding - (dilation * (kernel - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
  }
};

// A kernel: columns[i] is the pixel that it shows.
template <typename T>
struct ReadWindows {
  Windows windows;
  int64_t plane_size, column_size; // of one plane of the images and of the columns
  const T* images;
  T* columns;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t pixel = windows.pixel(i % column_size);
    columns[i] = pixel < 0 ? T(0) : images[i / column_size * plane_size + pixel];
  }
};

// A kernel: images[i] is the sum of the columns that show it.
template <typename T>
struct AddWindows {
  Windows windows;
  int64_t plane_size, column_size;
  const T* columns;
  T* images;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    T sum = 0;
    for (int64_t place = 0; place < windows.kernel_size(); ++place) {
      const int64_t column = windows.column(i % plane_size, place);
      if (column >= 0) sum += columns[i / plane_size * column_size + column];
    }
    images[i] = sum;
  }
};

// Copies each window of [N, C, H, W] or [C, H, W] images to a column of [N, C * kernel, windows].
template <typename Device, typename T>
void im2col(c10::TensorImpl* input, c10::TensorImpl* output, const Windows& windows) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 3 || dim == 4, "expected 3 or 4 dimensions, but got ", input->sizes());
  windows.check();
  const th::Elements<T, Device> images(input);
  const int64_t window_count = windows.rows() * windows.columns();
  std::vector<int64_t> sizes{input->size(dim - 3) * windows.kernel_size(), window_count};
  if (dim == 4) {
    sizes.insert(sizes.begin(), input->size(0));
  }
  th::Results<T, Device> columns(output, sizes);
  Device::for_each(
      columns.size(),
      ReadWindows<T>{
          windows, windows.height * windows.width, windows.kernel_size() * window_count,
          images.begin(), columns.begin()});
  columns.store();
}

// The reverse: adds each column to the pixels of its window.
template <typename Device, typename T>
void col2im(c10::TensorImpl* input, c10::TensorImpl* output, const Windows& windows) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 2 || dim == 3, "expected 2 or 3 dimensions, but got ", input->sizes());
  windows.check();
  const int64_t window_count = windows.rows() * windows.columns();
  TORCH_CHECK(
      input->size(dim - 2) % windows.kernel_size() == 0 && input->size(dim - 1) == window_count,
      "expected [N, C * ", windows.kernel_size(), ", ", window_count, "], but got ",
      input->sizes());
  const th::Elements<T, Device> columns(input);
  std::vector<int64_t> sizes{
      input->size(dim - 2) / windows.kernel_size(), windows.height, windows.width};
  if (dim == 3) {
    sizes.insert(sizes.begin(), input->size(0));
  }
  th::Results<T, Device> images(output, sizes);
  Device::for_each(
      images.size(),
      AddWindows<T>{
          windows, windows.height * windows.width, windows.kernel_size() * window_count,
          columns.begin(), images.begin()});
  images.store();
}

} // namespace thnn
