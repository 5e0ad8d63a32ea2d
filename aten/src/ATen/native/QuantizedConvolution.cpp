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
constexpr int64_t kMostPositions = kByteTileRows / 2; // rows of a tile

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

  // How many positions are left in this row of the result.
  int64_t left() const { return w_.output[2] - at_[2]; }

  // Skips at most `left()` positions.
  void advance(int64_t count) {
    at_[2] += count - 1;
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

// Finds the bytes under each tap of a window, which need no copy.
class WindowTaps {
 public:
  // In the padding, a tap has `piece` bytes, and so have those of the next positions.
  WindowTaps(const Window& window, const uint8_t* data, int64_t piece, uint8_t zero_point)
      : w_(window),
        data_(data),
        outside_(piece + kMostPositions * w_.stride[2] * w_.channels, zero_point) {}

  void operator()(int64_t first, int64_t count, const uint8_t** pieces) const {
    Positions position(w_, first);
    while (count > 0) {
      const int64_t here = std::min(count, position.left());
      const uint8_t** to = pieces;
      position.for_each_row([&](int64_t row) {
        for (const auto k : c10::irange(w_.kernel[2])) {
          find(row, position.start(2) + k * w_.dilation[2], here, to);
          to += kByteRowPitch;
        }
      });
      position.advance(here);
      pieces += here;
      count -= here;
    }
  }

 private:
  // Finds a tap at adjacent positions of the window, the first of which is at column x.
  void find(int64_t row, int64_t x, int64_t count, const uint8_t** to) const {
    const int64_t width = row < 0 ? x : w_.input[2], step = w_.stride[2];
    const int64_t begin = std::clamp<int64_t>(at::divup(-x, step), 0, count);
    const int64_t end = std::clamp<int64_t>(at::divup(width - x, step), begin, count);
    const int64_t place = (row * w_.input[2] + x) * w_.channels, bytes = step * w_.channels;
    std::fill(to, to + begin, outside_.data());
    const uint8_t* tap = data_ + (place + begin * bytes);
    for (int64_t i = begin; i < end; ++i, tap += bytes) {
      to[i] = tap;
    }
    std::fill(to + end, to + count, outside_.data());
  }

  const Window& w_;
  const uint8_t* data_;
  std::vector<uint8_t> outside_;
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
  at::parallel_for(
      0, window.samples, at::divup(1 << 18, size + 1), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          transpose_bytes(from + n * size, window.channels, positions, to + n * size);
        }
      });
  return bytes;
}

// Four channels of a row of pixels, and the distance of the pixels of each.
struct FourChannels {
  std::array<const uint8_t*, kByteTerms> channels;
  std::array<int64_t, kByteTerms> steps;

  // Writes the channels of each pixel side by side, and the pixels `pitch` bytes apart.
  void interleave(int64_t pixels, uint8_t* to, int64_t pitch) const {
    const auto [a, b, c, d] = channels; // stores of bytes do not change these copies
    const auto [i, j, k, l] = steps;
    int64_t x = 0;
    if (i == 1 && j == 1 && k == 1 && l == 1 && pitch == kByteTerms) {
      for (; x + 16 <= pixels; x += 16) {
        interleave_16(a + x, b + x, c + x, d + x, to + x * kByteTerms);
      }
    }
    for (; x < pixels; ++x) {
      const uint8_t bytes[] = {a[x * i], b[x * j], c[x * k], d[x * l]};
      std::memcpy(to + x * pitch, bytes, sizeof(bytes));
    }
  }

 private:
  static void interleave_16(
      const uint8_t* a, const uint8_t* b, const uint8_t* c, const uint8_t* d, uint8_t* to) {
    using Bytes [[gnu::vector_size(16)]] = uint8_t;
    using Pairs [[gnu::vector_size(16)]] = uint16_t;
    const auto load = [](const uint8_t* from) {
      Bytes bytes;
      std::memcpy(&bytes, from, sizeof(bytes));
      return bytes;
    };
    const auto low = [](Bytes x, Bytes y) {
      return reinterpret_cast<Pairs>(
          __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    };
    const auto high = [](Bytes x, Bytes y) {
      return reinterpret_cast<Pairs>(__builtin_shufflevector(
          x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    };
    const auto store = [&](Pairs x, Pairs y) {
      const Pairs first = __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
      const Pairs second = __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
      std::memcpy(to, &first, sizeof(first));
      std::memcpy(to + sizeof(first), &second, sizeof(second));
      to += 2 * sizeof(first);
    };
    const Bytes w = load(a), x = load(b), y = load(c), z = load(d);
    store(low(w, x), low(y, z));
    store(high(w, x), high(y, z));
  }
};

// Without padding along the width, all bytes under a row of the window are adjacent, unless it is
// dilated or there are groups: they become one tap.
void join_taps(int64_t groups, Window& w) {
  if (groups == 1 && w.dilation[2] == 1 && w.padding[2] == 0) {
    w.kernel[2] = 1;
  }
}

// Copies the input with the padding along the width, and with more channels in each group, so that
// each has a multiple of kByteTerms; both hold the zero point.
Tensor padded(const Tensor& input, int64_t groups, uint8_t zero_point, Window& w) {
  const int64_t width = w.channels / groups, pixels = w.input[2];
  const int64_t padded_width = at::divup(width, kByteTerms) * kByteTerms;
  const int64_t pixel = groups * padded_width;
  const int64_t row_bytes = (pixels + 2 * w.padding[2]) * pixel;
  const int64_t rows = w.samples * w.input[0] * w.input[1];
  const Tensor bytes = at::empty({rows * row_bytes}, input.options());
  const Window::Sizes steps = filled(input.strides().slice(2), 0);
  const auto* const data = input.const_data_ptr<uint8_t>();
  auto* const out = bytes.mutable_data_ptr<uint8_t>();
  const std::vector<uint8_t> outside(pixels, zero_point);
  at::parallel_for(0, rows, at::divup(1 << 15, row_bytes + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t y = row % w.input[1], z = row / w.input[1] % w.input[0];
      const int64_t sample = row / w.input[1] / w.input[0];
      const uint8_t* from = data + sample * input.stride(0) + z * steps[0] + y * steps[1];
      std::memset(out + row * row_bytes, zero_point, row_bytes);
      uint8_t* const start = out + row * row_bytes + w.padding[2] * pixel;
      for (int64_t at = 0; at < pixel; at += kByteTerms) {
        FourChannels four;
        for (const auto i : c10::irange(kByteTerms)) {
          const int64_t c = at % padded_width + i;
          const bool exists = c < width;
          four.channels[i] = exists ? from : outside.data();
          four.steps[i] = exists ? steps[2] : 1;
          from += exists ? input.stride(1) : 0;
        }
        four.interleave(pixels, start + at, pixel);
      }
    }
  });
  w.channels = pixel;
  w.input[2] += 2 * w.padding[2];
  w.padding[2] = 0;
  join_taps(groups, w);
  return bytes;
}

// ---- the tile unit ------------------------------------------------------------------------------

// With fewer positions in each tile, loading the weights would take most of the time.
constexpr int64_t kLeastPositions = 7;

// How many adjacent positions fill a tile: their taps are equally far apart, so that the tile unit
// reads them where they lie. None if rows of the result cannot be divided into such tiles.
int64_t positions_of_tile(const Window& w) {
  const auto is_one = [](int64_t d) { return d == 1; };
  if (w.taps() == 1 && w.input == w.output &&
      std::all_of(w.stride.begin(), w.stride.end(), is_one)) {
    return kMostPositions; // all positions are adjacent
  }
  for (int64_t count = kMostPositions; count >= kLeastPositions; --count) {
    if (w.output[2] % count == 0) {
      return count;
    }
  }
  return 0;
}

// Copies pixels in channels-last order with the padding along the width.
Tensor with_padded_rows(const Tensor& pixels, uint8_t zero_point, Window& w) {
  const int64_t rows = w.samples * w.input[0] * w.input[1];
  const int64_t bytes = w.input[2] * w.channels, side = w.padding[2] * w.channels;
  const Tensor copy = at::empty({rows * (bytes + 2 * side)}, pixels.options());
  const auto* const from = pixels.const_data_ptr<uint8_t>();
  auto* const to = copy.mutable_data_ptr<uint8_t>();
  at::parallel_for(0, rows, at::divup(1 << 17, bytes + 1), [&](int64_t begin, int64_t end) {
    uint8_t* row = to + begin * (bytes + 2 * side);
    for (int64_t r = begin; r < end; ++r, row += bytes + 2 * side) {
      std::memset(row, zero_point, side);
      std::memcpy(row + side, from + r * bytes, bytes);
      std::memset(row + side + bytes, zero_point, side);
    }
  });
  w.input[2] += 2 * w.padding[2];
  w.padding[2] = 0;
  return copy;
}

} // namespace

Tensor _quantized_convolution_for_cpu(
    const Tensor& input, double scale, int64_t zero_point, const Tensor& packed,
    const Tensor& weight_scales, const std::optional<Tensor>& weight_zero_points,
    const std::optional<Tensor>& bias, IntArrayRef weight_size, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, int64_t groups, double output_scale,
    int64_t output_zero_point, bool relu) {
  const auto dims = static_cast<int64_t>(weight_size.size()) - 2;
  TORCH_CHECK(
      input.scalar_type() == ScalarType::Byte && dims >= 0 && dims <= kDims &&
          input.dim() == dims + 2,
      "expected an input of dtype uint8 and ", dims + 2, " dimensions, at most ", kDims + 2,
      ", got ", input.scalar_type(), " and ", input.dim());
  TORCH_CHECK(
      static_cast<int64_t>(stride.size()) == dims && static_cast<int64_t>(padding.size()) == dims &&
          static_cast<int64_t>(dilation.size()) == dims,
      "expected ", dims, " strides, paddings and dilations");
  TORCH_CHECK(
      groups > 0 && input.size(1) == weight_size[1] * groups, "expected an input with ",
      weight_size[1] * groups, " channels, got ", input.size(1));
  Window window = window_of(input, weight_size.slice(2), stride, padding, dilation);
  const int64_t columns = weight_scales.numel();
  std::vector<int64_t> sizes{window.samples};
  sizes.insert(sizes.end(), window.output.end() - dims, window.output.end());
  sizes.push_back(columns);
  const Tensor result = at::empty(sizes, input.options());
  const QuantizedWeights weights{packed, weight_scales, weight_zero_points, bias};
  const bool by_channel = groups > 1 && weight_size[1] == 1 && columns == groups;
  const int64_t terms = by_channel ? 1 : at::divup(weight_size[1], kByteTerms) * kByteTerms;
  const int64_t depth = window.taps() * terms;
  check_quantized_weights(weights, groups, depth, by_channel);
  if (!input.is_meta() && result.numel() > 0) {
    const auto outside = static_cast<uint8_t>(zero_point);
    Tensor bytes = terms == weight_size[1] ? channels_last(input, window)
                                           : padded(input, groups, outside, window);
    int64_t tile_rows = 0;
    if (terms % kByteTileDepth == 0 &&
        is_product_of_tiles(window.positions(), columns / groups, depth)) {
      tile_rows = positions_of_tile(window);
    }
    if (tile_rows > 0) {
      if (window.padding[2] > 0) {
        bytes = with_padded_rows(bytes, outside, window);
      }
      join_taps(groups, window);
    }
    const WindowTaps taps(
        window, bytes.const_data_ptr<uint8_t>(), groups * depth / window.taps(), outside);
    quantized_product(
        {static_cast<float>(scale), static_cast<int32_t>(zero_point)}, weights,
        {static_cast<float>(output_scale), checked_byte_point(output_zero_point), true, relu},
        groups, window.positions(), depth, by_channel,
        {nullptr, taps, window.taps(), tile_rows, window.stride[2] * window.channels},
        result.mutable_data_ptr());
  }
  return permuted(result, false);
}

} // namespace at::native
