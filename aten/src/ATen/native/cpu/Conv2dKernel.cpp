#include <ATen/Parallel.h>
#include <ATen/cpu/vec/vec_base.h>
#include <ATen/native/Conv2d.h>

#include <algorithm>
#include <cstring>
#include <memory>

// Direct convolution. A tile of kBlock output channels by a few registers of output columns stays
// in registers while all input channels and kernel positions go by: each step loads the columns,
// broadcasts one weight a channel and multiplies. Two preparations make every load contiguous:
//  - the input is copied once into rows that include the padding; with a horizontal stride s, into
//    s rows, one for each remainder of the column by s;
//  - weights are copied into blocks of kBlock output channels, innermost.

namespace at::native {

namespace {

template <typename T>
using Register = vec::Lanes<T, vec::kVectorBytes / static_cast<int>(sizeof(T))>;

// Accumulators, columns and a broadcast weight fit the register file.
constexpr int64_t kBlock = vec::kVectorBytes == 64 ? 8 : 4;
constexpr int64_t kColumns = 3;

int64_t round_up(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

template <typename T>
class Conv2d {
 public:
  Conv2d(const Conv2dShape& shape, const T* input, const T* weight, const T* bias, T* output)
      : s_(shape), input_(input), bias_(bias), output_(output) {
    group_in_ = s_.in_channels / s_.groups;
    group_out_ = s_.out_channels / s_.groups;
    blocks_ = (group_out_ + kBlock - 1) / kBlock;
    taps_ = group_in_ * s_.kernel_h * s_.kernel_w;
    rows_ = s_.in_h + 2 * s_.pad_h;
    // Tiles may read past the last column, never past the row.
    const int64_t reach = (s_.kernel_w - 1) * s_.dilation_w / s_.stride_w + 1;
    row_size_ = round_up(s_.out_w, kLanes) + kColumns * kLanes + reach;
    column_offsets_ = std::make_unique<int64_t[]>(s_.kernel_w);
    for (int64_t kw = 0; kw < s_.kernel_w; ++kw) {
      const int64_t column = kw * s_.dilation_w;
      column_offsets_[kw] = column % s_.stride_w * row_size_ + column / s_.stride_w;
    }
    pack_weights(weight);
  }

  void run() {
    const int64_t images = s_.batch * s_.groups;
    const int64_t work = s_.out_h * s_.out_w * group_out_ * taps_;
    const bool across_images = images >= at::get_num_threads();
    const int64_t grain =
        across_images ? std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(work, 1)) : images;
    at::parallel_for(0, images, grain, [&](int64_t begin, int64_t end) {
      const auto packed =
          std::make_unique_for_overwrite<T[]>(group_in_ * rows_ * s_.stride_w * row_size_);
      for (int64_t image = begin; image < end; ++image) {
        one_image(image / s_.groups, image % s_.groups, packed.get());
      }
    });
  }

 private:
  using V = Register<T>;
  static constexpr int64_t kLanes = vec::lanes_of<V>;
  static constexpr int64_t kWorthAThread = 1 << 18; // multiplications

  void pack_weights(const T* weight) {
    weights_ = std::make_unique<T[]>(s_.groups * blocks_ * taps_ * kBlock);
    for (int64_t group = 0; group < s_.groups; ++group) {
      for (int64_t channel = 0; channel < group_out_; ++channel) {
        const T* from = weight + (group * group_out_ + channel) * taps_;
        T* to = weights_.get() + (group * blocks_ + channel / kBlock) * taps_ * kBlock +
            channel % kBlock;
        for (int64_t tap = 0; tap < taps_; ++tap) {
          to[tap * kBlock] = from[tap];
        }
      }
    }
  }

  void pack_channel(const T* plane, T* packed) const {
    const int64_t stride = s_.stride_w;
    for (int64_t row = 0; row < rows_; ++row) {
      T* to = packed + row * stride * row_size_;
      const int64_t h = row - s_.pad_h;
      const bool inside = h >= 0 && h < s_.in_h;
      const int64_t count = inside ? std::min(s_.in_w, row_size_ - s_.pad_w) : 0;
      if (stride > 1 || !inside) {
        std::memset(to, 0, stride * row_size_ * sizeof(T));
      }
      if (!inside) {
        continue;
      }
      const T* from = plane + h * s_.in_w;
      if (stride == 1) {
        std::fill_n(to, s_.pad_w, T(0));
        std::memcpy(to + s_.pad_w, from, count * sizeof(T));
        std::fill(to + s_.pad_w + count, to + row_size_, T(0));
        continue;
      }
      for (int64_t w = 0; w < s_.in_w; ++w) {
        const int64_t column = w + s_.pad_w;
        if (column / stride < row_size_) {
          to[column % stride * row_size_ + column / stride] = from[w];
        }
      }
    }
  }

  void one_image(int64_t n, int64_t group, T* packed) {
    const T* image = input_ + (n * s_.in_channels + group * group_in_) * s_.in_h * s_.in_w;
    const int64_t channel_size = rows_ * s_.stride_w * row_size_;
    const int64_t pack_grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(channel_size, 1));
    at::parallel_for(0, group_in_, pack_grain, [&](int64_t begin, int64_t end) {
      for (int64_t channel = begin; channel < end; ++channel) {
        pack_channel(image + channel * s_.in_h * s_.in_w, packed + channel * channel_size);
      }
    });
    const int64_t row_work = s_.out_w * kBlock * taps_;
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(row_work, 1));
    at::parallel_for(0, s_.out_h * blocks_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        one_row(n, group, i % blocks_, i / blocks_, packed);
      }
    });
  }

  // kBlock channels of one output row.
  void one_row(int64_t n, int64_t group, int64_t block, int64_t oh, const T* packed) const {
    const int64_t channel = group * group_out_ + block * kBlock;
    const int64_t channels = std::min(kBlock, group_out_ - block * kBlock);
    T* row = output_ + ((n * s_.out_channels + channel) * s_.out_h + oh) * s_.out_w;
    const T* weights = weights_.get() + (group * blocks_ + block) * taps_ * kBlock;
    int64_t ow = 0;
    while (ow < s_.out_w) {
      const int64_t left = s_.out_w - ow;
      if (left > 2 * kLanes) {
        tile<3>(weights, packed, oh, ow, channel, channels, row);
        ow += 3 * kLanes;
      } else if (left > kLanes) {
        tile<2>(weights, packed, oh, ow, channel, channels, row);
        ow += 2 * kLanes;
      } else {
        tile<1>(weights, packed, oh, ow, channel, channels, row);
        ow += kLanes;
      }
    }
  }

  template <int columns>
  void tile(
      const T* weights, const T* packed, int64_t oh, int64_t ow, int64_t channel, int64_t channels,
      T* row) const {
    V sum[kBlock][columns];
    for (int64_t c = 0; c < kBlock; ++c) {
      const V start = vec::splat<V>(bias_ && c < channels ? bias_[channel + c] : T(0));
      for (int64_t j = 0; j < columns; ++j) {
        sum[c][j] = start;
      }
    }
    for (int64_t ic = 0; ic < group_in_; ++ic) {
      for (int64_t kh = 0; kh < s_.kernel_h; ++kh) {
        const int64_t h = oh * s_.stride_h + kh * s_.dilation_h;
        const T* line = packed + (ic * rows_ + h) * s_.stride_w * row_size_ + ow;
        for (int64_t kw = 0; kw < s_.kernel_w; ++kw, weights += kBlock) {
          const T* from = line + column_offsets_[kw];
          V in[columns];
          for (int64_t j = 0; j < columns; ++j) {
            std::memcpy(&in[j], from + j * kLanes, sizeof(V));
          }
          for (int64_t c = 0; c < kBlock; ++c) {
            const V by = vec::splat<V>(weights[c]);
            for (int64_t j = 0; j < columns; ++j) {
              sum[c][j] = vec::fma(by, in[j], sum[c][j]);
            }
          }
        }
      }
    }
    const int64_t count = std::min<int64_t>(columns * kLanes, s_.out_w - ow);
    for (int64_t c = 0; c < channels; ++c) {
      T* to = row + c * s_.out_h * s_.out_w + ow;
      if (count == columns * kLanes) {
        std::memcpy(to, sum[c], sizeof(sum[c])); // of constant size: stores, not a call
      } else {
        std::memcpy(to, sum[c], count * sizeof(T));
      }
    }
  }

  const Conv2dShape& s_;
  const T* input_;
  const T* bias_;
  T* output_;
  int64_t group_in_, group_out_, blocks_, taps_, rows_, row_size_;
  std::unique_ptr<T[]> weights_;
  std::unique_ptr<int64_t[]> column_offsets_; // where in a packed row each kernel column begins
};

void conv2d_kernel(
    c10::ScalarType dtype, const Conv2dShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  const auto run = [&]<typename T>(T*) {
    Conv2d<T>(
        shape, static_cast<const T*>(input), static_cast<const T*>(weight),
        static_cast<const T*>(bias), static_cast<T*>(output))
        .run();
  };
  if (dtype == c10::ScalarType::Float) {
    run(static_cast<float*>(nullptr));
  } else if (dtype == c10::ScalarType::Double) {
    run(static_cast<double*>(nullptr));
  } else {
    run(static_cast<int64_t*>(nullptr));
  }
}

} // namespace

REGISTER_DISPATCH(conv2d_stub, &conv2d_kernel)

} // namespace at::native
