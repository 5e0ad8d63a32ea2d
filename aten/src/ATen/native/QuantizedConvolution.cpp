// Convolutions of quantized tensors: the bytes under the kernel's window become rows of a product.
// Activations and results are channels last, so that the channels of a position, and those of
// adjacent positions, are copied together.

#include <ATen/native/QuantizedProduct.h>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_quantized_convolution_for_cpu_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/permute.h>
#include <c10/util/irange.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace at::native {
namespace {

constexpr int kDims = 3;

// Depth, height and width; fewer dimensions are preceded by ones.
struct Window {
  using Sizes = std::array<int64_t, kDims>;
  int64_t samples, channels;
  Sizes input, kernel, stride, padding, dilation, output;

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t positions() const { return samples * output[0] * output[1] * output[2]; }
};

Window::Sizes filled(IntArrayRef values, int64_t missing) {
  Window::Sizes all;
  all.fill(missing);
  std::copy(values.begin(), values.end(), all.end() - values.size());
  return all;
}

Window window_of(
    const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation) {
  Window w{
      input.size(0),
      input.size(1),
      filled(input.sizes().slice(2), 1),
      filled(kernel_size, 1),
      filled(stride, 1),
      filled(padding, 0),
      filled(dilation, 1),
      {}};
  for (const auto d : c10::irange(kDims)) {
    TORCH_CHECK(
        w.stride[d] > 0 && w.dilation[d] > 0 && w.padding[d] >= 0 && w.kernel[d] > 0,
        "expected positive kernel sizes, strides and dilations, and paddings of at least 0");
    const int64_t extent = w.dilation[d] * (w.kernel[d] - 1) + 1;
    const int64_t room = w.input[d] + 2 * w.padding[d] - extent;
    w.output[d] = room < 0 ? 0 : room / w.stride[d] + 1;
  }
  return w;
}

// Walks over the positions of the result, and over the taps of the window at each.
class Positions {
 public:
  Positions(const Window& window, int64_t first) : w_(window) {
    for (int d = kDims - 1; d >= 0; --d) {
      at_[d] = first % w_.output[d];
      first /= w_.output[d];
    }
    sample_ = first;
  }

  void next() {
    for (int d = kDims - 1; d >= 0; --d) {
      if (++at_[d] < w_.output[d]) {
        return;
      }
      at_[d] = 0;
    }
    ++sample_;
  }

  // The first coordinate under the window, which may lie in the padding.
  int64_t start(int d) const { return at_[d] * w_.stride[d] - w_.padding[d]; }

  // Calls visit(row of the input) for each row under the window, with -1 in the padding.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    const int64_t z0 = start(0), y0 = start(1);
    for (const auto i : c10::irange(w_.kernel[0])) {
      const int64_t z = z0 + i * w_.dilation[0];
      const bool inside = z >= 0 && z < w_.input[0];
      for (const auto j : c10::irange(w_.kernel[1])) {
        const int64_t y = y0 + j * w_.dilation[1];
        visit(
            inside && y >= 0 && y < w_.input[1] ? (sample_ * w_.input[0] + z) * w_.input[1] + y
                                                : -1);
      }
    }
  }

 private:
  const Window& w_;
  Window::Sizes at_;
  int64_t sample_;
};

// Most rows of windows are short: a call of memcpy would take longer than the copy.
void copy_bytes(uint8_t* to, const uint8_t* from, int64_t count) {
  constexpr int64_t kHalf = 16;
  if (count < kHalf || count > 2 * kHalf) {
    std::memcpy(to, from, count);
    return;
  }
  std::array<uint8_t, kHalf> first, last; // which overlap
  std::memcpy(first.data(), from, kHalf);
  std::memcpy(last.data(), from + count - kHalf, kHalf);
  std::memcpy(to, first.data(), kHalf);
  std::memcpy(to + count - kHalf, last.data(), kHalf);
}

// Copies the bytes under the window, with the zero point in the padding.
class WindowRows {
 public:
  WindowRows(const Window& window, const uint8_t* data, int64_t groups, uint8_t zero_point)
      : w_(window),
        data_(data),
        width_(window.channels / groups),
        zero_point_(zero_point),
        is_adjacent_(groups == 1 && window.dilation[2] == 1) {}

  void operator()(int64_t group, int64_t first, int64_t count, uint8_t* to, int64_t pitch) const {
    Positions position(w_, first);
    const int64_t row_bytes = w_.input[2] * w_.channels, bytes = w_.kernel[2] * width_;
    for (const auto r : c10::irange(count)) {
      uint8_t* place = to + r * pitch;
      const int64_t x = position.start(2);
      position.for_each_row([&](int64_t row) {
        if (row < 0) {
          std::memset(place, zero_point_, bytes);
        } else {
          copy_row(data_ + row * row_bytes + group * width_, x, place);
        }
        place += bytes;
      });
      position.next();
    }
  }

 private:
  void copy_row(const uint8_t* row, int64_t x, uint8_t* to) const {
    const int64_t taps = w_.kernel[2], step = w_.dilation[2];
    if (is_adjacent_) {
      const int64_t begin = std::clamp<int64_t>(-x, 0, taps);
      const int64_t end = std::clamp<int64_t>(w_.input[2] - x, begin, taps);
      if (begin == 0 && end == taps) {
        return copy_bytes(to, row + x * width_, taps * width_);
      }
      std::memset(to, zero_point_, begin * width_);
      std::memcpy(to + begin * width_, row + (x + begin) * width_, (end - begin) * width_);
      std::memset(to + end * width_, zero_point_, (taps - end) * width_);
      return;
    }
    for (const auto k : c10::irange(taps)) {
      const int64_t at = x + k * step;
      if (at >= 0 && at < w_.input[2]) {
        std::memcpy(to + k * width_, row + at * w_.channels, width_);
      } else {
        std::memset(to + k * width_, zero_point_, width_);
      }
    }
  }

  const Window& w_;
  const uint8_t* data_;
  int64_t width_; // channels of a group
  uint8_t zero_point_;
  bool is_adjacent_; // whether a row under the window is one piece
};

// Finds the channels under each tap, which need no copy.
class WindowTaps {
 public:
  WindowTaps(const Window& window, const uint8_t* data, uint8_t zero_point)
      : w_(window), data_(data), outside_(window.channels, zero_point), taps_(window.taps()) {}

  void operator()(int64_t first, int64_t count, const uint8_t** pieces) const {
    Positions position(w_, first);
    std::vector<int64_t> steps(taps_);
    int64_t before = -1; // the last start, if its whole window lay inside the width
    for (const auto r : c10::irange(count)) {
      const uint8_t** to = pieces + r * taps_;
      const int64_t x = position.start(2);
      const bool is_inside = x >= 0 && x + w_.dilation[2] * (w_.kernel[2] - 1) < w_.input[2];
      if (is_inside && before >= 0 && x == before + w_.stride[2]) {
        for (const auto k : c10::irange(taps_)) {
          to[k] = to[k - taps_] + steps[k];
        }
      } else {
        find(position, x, to, steps.data());
      }
      before = is_inside ? x : -1;
      position.next();
    }
  }

 private:
  // Also writes the distances to the addresses at the next position.
  void find(const Positions& position, int64_t x, const uint8_t** to, int64_t* steps) const {
    position.for_each_row([&](int64_t row) {
      for (const auto k : c10::irange(w_.kernel[2])) {
        const int64_t at = x + k * w_.dilation[2];
        const bool inside = row >= 0 && at >= 0 && at < w_.input[2];
        *to++ = inside ? data_ + (row * w_.input[2] + at) * w_.channels : outside_.data();
        *steps++ = row >= 0 ? w_.stride[2] * w_.channels : 0;
      }
    });
  }

  const Window& w_;
  const uint8_t* data_;
  std::vector<uint8_t> outside_;
  int64_t taps_;
};

// ---- channels last ------------------------------------------------------------------------------

using EightRows = std::array<uint64_t, 8>;

// Swaps the off-diagonal blocks of `kDistance` bytes; the mask `lower` selects the lower ones.
template <int kDistance>
void exchange_blocks(EightRows& rows, uint64_t lower) {
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {
    if ((r & kDistance) == 0) {
      const uint64_t a = rows[r], b = rows[r + kDistance];
      rows[r] = (a & lower) | ((b & lower) << (8 * kDistance));
      rows[r + kDistance] = ((a >> (8 * kDistance)) & lower) | (b & ~lower);
    }
  }
}

// Transposes 8 x 8 bytes: blocks of 4, then of 2, then single bytes.
void transpose_block(const uint8_t* from, int64_t from_pitch, uint8_t* to, int64_t to_pitch) {
  EightRows rows;
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {
    std::memcpy(&rows[r], from + r * from_pitch, sizeof(uint64_t));
  }
  exchange_blocks<4>(rows, 0x00000000ffffffffULL);
  exchange_blocks<2>(rows, 0x0000ffff0000ffffULL);
  exchange_blocks<1>(rows, 0x00ff00ff00ff00ffULL);
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {
    std::memcpy(to + r * to_pitch, &rows[r], sizeof(uint64_t));
  }
}

// [rows][columns] to [columns][rows].
void transpose_bytes(const uint8_t* from, int64_t rows, int64_t columns, uint8_t* to) {
  const int64_t whole_rows = rows / 8 * 8, whole_columns = columns / 8 * 8;
  for (int64_t c = 0; c < whole_columns; c += 8) {
    for (int64_t r = 0; r < whole_rows; r += 8) {
      transpose_block(from + r * columns + c, columns, to + c * rows + r, rows);
    }
  }
  for (const auto c : c10::irange(columns)) {
    for (int64_t r = c < whole_columns ? whole_rows : 0; r < rows; ++r) {
      to[c * rows + r] = from[r * columns + c];
    }
  }
}

// [0, 2, 3, ..., 1] for channels last, or the permutation back.
Tensor permuted(const Tensor& tensor, bool to_channels_last) {
  std::vector<int64_t> order(tensor.dim());
  const int64_t last = tensor.dim() - 1;
  for (const auto d : c10::irange<int64_t>(1, tensor.dim())) {
    order[d] = to_channels_last ? (d == last ? 1 : d + 1) : (d == 1 ? last : d - 1);
  }
  return at::permute(tensor, order);
}

// The input as [samples, ..., channels] with adjacent elements.
Tensor channels_last(const Tensor& input, const Window& window) {
  const Tensor order = permuted(input, true);
  if (order.is_contiguous() || !input.is_contiguous()) {
    return order.contiguous();
  }
  const Tensor bytes = at::empty(order.sizes(), input.options());
  const int64_t positions = window.input[0] * window.input[1] * window.input[2];
  const auto* const from = input.const_data_ptr<uint8_t>();
  auto* const to = bytes.mutable_data_ptr<uint8_t>();
  const int64_t size = window.channels * positions;
  at::parallel_for(0, window.samples, at::divup(1 << 18, size), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      transpose_bytes(from + n * size, window.channels, positions, to + n * size);
    }
  });
  return bytes;
}

} // namespace

Tensor _quantized_convolution_for_cpu(
    const Tensor& input, double scale, int64_t zero_point, const Tensor& packed,
    const Tensor& weight_scales, const std::optional<Tensor>& weight_zero_points,
    const std::optional<Tensor>& bias, IntArrayRef kernel_size, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, int64_t groups, double output_scale,
    int64_t output_zero_point, bool relu) {
  const auto dims = static_cast<int64_t>(kernel_size.size());
  TORCH_CHECK(
      input.scalar_type() == ScalarType::Byte && dims <= kDims && input.dim() == dims + 2,
      "expected an input of dtype uint8 and ", dims + 2, " dimensions, at most ", kDims + 2,
      ", got ", input.scalar_type(), " and ", input.dim());
  TORCH_CHECK(
      static_cast<int64_t>(stride.size()) == dims && static_cast<int64_t>(padding.size()) == dims &&
          static_cast<int64_t>(dilation.size()) == dims,
      "expected ", dims, " strides, paddings and dilations");
  TORCH_CHECK(
      groups > 0 && input.size(1) % groups == 0, "expected a multiple of ", groups,
      " channels, got ", input.size(1));
  const Window window = window_of(input, kernel_size, stride, padding, dilation);
  const int64_t columns = weight_scales.numel();
  std::vector<int64_t> sizes{window.samples};
  sizes.insert(sizes.end(), window.output.end() - dims, window.output.end());
  sizes.push_back(columns);
  const Tensor result = at::empty(sizes, input.options());
  const int64_t depth = window.taps() * (window.channels / groups);
  const QuantizedWeights weights{packed, weight_scales, weight_zero_points, bias};
  const bool by_channel = groups > 1 && window.channels == groups && columns == groups;
  check_quantized_weights(weights, groups, depth, by_channel);
  if (!input.is_meta() && result.numel() > 0) {
    const Tensor bytes = channels_last(input, window);
    const auto* const data = bytes.const_data_ptr<uint8_t>();
    const QuantizedInput from{static_cast<float>(scale), static_cast<int32_t>(zero_point)};
    const QuantizedOutput to{
        static_cast<float>(output_scale), static_cast<int32_t>(output_zero_point), true, relu};
    const auto outside = static_cast<uint8_t>(zero_point);
    const WindowRows rows(window, data, groups, outside);
    const WindowTaps taps(window, data, outside);
    const bool needs_copy = !by_channel && window.channels / groups % kByteTerms != 0;
    const ByteSource source =
        needs_copy ? ByteSource{rows, nullptr, 1} : ByteSource{nullptr, taps, window.taps()};
    quantized_product(
        from, weights, to, groups, window.positions(), depth, by_channel, source,
        result.mutable_data_ptr());
  }
  return permuted(result, false);
}

} // namespace at::native
