#include <ATen/native/PointwiseConv.h>

#include <ATen/Parallel.h>
#include <ATen/native/Blas.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

namespace at::native {

namespace {

using Extent = ConvShape::Extent;

template <typename T>
class Buffer {
 public:
  explicit Buffer(int64_t count)
      : data_(c10::GetCPUAllocator()->allocate(static_cast<size_t>(count) * sizeof(T))) {}
  T* get() const { return static_cast<T*>(data_.get()); }

 private:
  c10::DataPtr data_;
};

// Calls visit(position of the output, element of the input) for all positions of a channel.
template <typename F>
void for_each_position(const ConvShape& s, const F& visit) {
  int64_t position = 0;
  for (int64_t d = 0; d < s.out[0]; ++d) {
    for (int64_t h = 0; h < s.out[1]; ++h) {
      const int64_t row = (d * s.stride[0] * s.in[1] + h * s.stride[1]) * s.in[2];
      for (int64_t w = 0; w < s.out[2]; ++w) {
        visit(position++, row + w * s.stride[2]);
      }
    }
  }
}

template <typename T>
class PointwiseConv {
 public:
  explicit PointwiseConv(const ConvShape& shape)
      : s_(shape),
        in_size_(volume(s_.in)),
        positions_(volume(s_.out)),
        strided_(s_.stride != Extent{1, 1, 1}) {}

  void forward(const T* input, const T* weight, const T* bias, T* output) const {
    over_images([&](int64_t image) {
      T* const to = output + image * s_.out_channels * positions_;
      fill(bias, s_.out_channels, positions_, to);
      with_positions(input + image * s_.in_channels * in_size_, [&](const T* from) {
        multiply(s_.out_channels, s_.in_channels, weight, from, bias != nullptr, to);
      });
    });
  }

  void adjoint(const T* output, const T* weight, const T* bias, T* input) const {
    const Buffer<T> by_input(s_.in_channels * s_.out_channels);
    transpose(weight, by_input.get());
    over_images([&](int64_t image) {
      const T* const from = output + image * s_.out_channels * positions_;
      T* const to = input + image * s_.in_channels * in_size_;
      fill(bias, s_.in_channels, in_size_, to);
      if (!strided_) {
        multiply(s_.in_channels, s_.out_channels, by_input.get(), from, bias != nullptr, to);
        return;
      }
      const Buffer<T> product(s_.in_channels * positions_);
      multiply(s_.in_channels, s_.out_channels, by_input.get(), from, false, product.get());
      if (bias == nullptr) {
        std::fill_n(to, s_.in_channels * in_size_, T(0));
      }
      for (int64_t c = 0; c < s_.in_channels; ++c) {
        const T* const sums = product.get() + c * positions_;
        T* const channel = to + c * in_size_;
        for_each_position(s_, [&](int64_t p, int64_t element) { channel[element] += sums[p]; });
      }
    });
  }

  // Threads share the input channels, so that the sums do not depend on their number.
  void weight(const T* input, const T* output, T* weight) const {
    constexpr int64_t kBlock = 32;
    const int64_t blocks = at::divup(s_.in_channels, kBlock);
    const int64_t work = s_.batch * positions_ * s_.out_channels * kBlock;
    at::parallel_for(
        0, blocks, std::max<int64_t>(1, kWorthAThread / work), [&](int64_t begin, int64_t end) {
          const int64_t first = begin * kBlock;
          const int64_t channels = std::min(s_.in_channels, end * kBlock) - first;
          ConvShape part = s_;
          part.in_channels = channels;
          const PointwiseConv some(part);
          for (int64_t image = 0; image < s_.batch; ++image) {
            some.with_positions(
                input + (image * s_.in_channels + first) * in_size_, [&](const T* from) {
                  const T* grads = output + image * s_.out_channels * positions_;
                  gemm(
                      kType,
                      {s_.out_channels, channels, positions_, grads, positions_, 1, from, 1,
                       positions_, weight + first, s_.in_channels, 1},
                      1, image == 0 ? 0 : 1);
                });
          }
        });
  }

 private:
  static constexpr auto kType = c10::CppTypeToScalarType<T>::value;
  static constexpr int64_t kWorthAThread = 1 << 18; // number of multiplications

  // Few images are shared by the threads of each product instead.
  template <typename F>
  void over_images(const F& one_image) const {
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t image = begin; image < end; ++image) {
        one_image(image);
      }
    };
    if (s_.batch < at::get_num_threads()) {
      return run(0, s_.batch);
    }
    const int64_t work = s_.in_channels * s_.out_channels * positions_;
    at::parallel_for(0, s_.batch, std::max<int64_t>(1, kWorthAThread / work), run);
  }

  // Calls f with the elements of an image that the positions of the output meet, channel by
  // channel.
  template <typename F>
  void with_positions(const T* image, const F& f) const {
    if (!strided_) {
      return f(image);
    }
    const Buffer<T> met(s_.in_channels * positions_);
    for (int64_t c = 0; c < s_.in_channels; ++c) {
      const T* const channel = image + c * in_size_;
      T* const to = met.get() + c * positions_;
      for_each_position(s_, [&](int64_t p, int64_t element) { to[p] = channel[element]; });
    }
    f(met.get());
  }

  static void fill(const T* bias, int64_t channels, int64_t size, T* to) {
    for (int64_t c = 0; bias != nullptr && c < channels; ++c) {
      std::fill_n(to + c * size, size, bias[c]);
    }
  }

  // to[targets][positions] = weight[targets][sources] from[sources][positions], or adds that.
  void multiply(
      int64_t targets, int64_t sources, const T* weight, const T* from, bool add, T* to) const {
    gemm(
        kType,
        {targets, positions_, sources, weight, sources, 1, from, positions_, 1, to, positions_, 1},
        1, add ? 1 : 0);
  }

  void transpose(const T* weight, T* to) const {
    for (int64_t o = 0; o < s_.out_channels; ++o) {
      for (int64_t i = 0; i < s_.in_channels; ++i) {
        to[i * s_.out_channels + o] = weight[o * s_.in_channels + i];
      }
    }
  }

  const ConvShape& s_;
  int64_t in_size_, positions_;
  bool strided_;
};

template <typename F>
void for_type(c10::ScalarType dtype, const ConvShape& shape, const F& f) {
  if (dtype == c10::ScalarType::Float) {
    f(PointwiseConv<float>(shape), float());
  } else {
    f(PointwiseConv<double>(shape), double());
  }
}

} // namespace

bool is_pointwise_product(c10::ScalarType dtype, const ConvShape& s) {
  constexpr int64_t kChannels = 16, kPositions = 64;
  return c10::isFloatingType(dtype) && s.groups == 1 && volume(s.kernel) == 1 &&
      s.pad == Extent{0, 0, 0} && std::min(s.in_channels, s.out_channels) >= kChannels &&
      volume(s.out) >= kPositions;
}

void pointwise_conv(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  for_type(dtype, shape, [&]<typename T>(const PointwiseConv<T>& conv, T) {
    conv.forward(
        static_cast<const T*>(input), static_cast<const T*>(weight), static_cast<const T*>(bias),
        static_cast<T*>(output));
  });
}

void pointwise_conv_adjoint(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input) {
  for_type(dtype, shape, [&]<typename T>(const PointwiseConv<T>& conv, T) {
    conv.adjoint(
        static_cast<const T*>(output), static_cast<const T*>(weight), static_cast<const T*>(bias),
        static_cast<T*>(input));
  });
}

void pointwise_conv_weight(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight) {
  for_type(dtype, shape, [&]<typename T>(const PointwiseConv<T>& conv, T) {
    conv.weight(
        static_cast<const T*>(input), static_cast<const T*>(output), static_cast<T*>(weight));
  });
}

} // namespace at::native
