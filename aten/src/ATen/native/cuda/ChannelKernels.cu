#include <ATen/native/cuda/ChannelKernels.h>

#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/cuda/SoftMaxTypes.cuh>
#include <ATen/native/cuda/Welford.cuh>

namespace at::native {
namespace {

template <typename T>
struct WideMomentsOp {
  using in_t = T;
  using Real = device_acc_t<T>;
  using acc_t = Moments<Real>;

  Real* mean;
  Real* deviations;

  C10_DEVICE acc_t identity() const { return {}; }
  C10_DEVICE acc_t step(acc_t acc, T x, int64_t) const {
    acc.add(static_cast<Real>(x));
    return acc;
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    a.add(b);
    return a;
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t at2) const {
    mean[at] = acc.mean;
    deviations[at2] = acc.deviations;
  }
};

template <typename T>
struct ChannelMoments {
  using Real = device_acc_t<T>;
  static void run(const Tensor& in, int64_t dim, const Tensor& mean, const Tensor& deviations) {
    DimMask mask;
    for (int64_t d = 0; d < in.dim(); ++d) {
      mask.set(static_cast<size_t>(d), d != dim);
    }
    const WideMomentsOp<T> op{mean.mutable_data_ptr<Real>(), deviations.mutable_data_ptr<Real>()};
    reduce_on_device(op, in, mask, mean, deviations);
  }
};

// The channel of an element.
struct ChannelOf {
  at::cuda::IntDivider inner, channels;
  int64_t wide_inner, wide_channels;
  bool narrow;

  ChannelOf(const ChannelShape& shape, int64_t numel)
      : wide_inner(shape.channels_last ? 1 : shape.inner),
        wide_channels(shape.channels),
        narrow(numel <= INT32_MAX) {
    if (narrow) {
      inner = at::cuda::IntDivider(static_cast<uint32_t>(wide_inner));
      channels = at::cuda::IntDivider(static_cast<uint32_t>(wide_channels));
    }
  }
  C10_DEVICE int64_t operator()(int64_t at) const {
    if (narrow) {
      return channels.divmod(inner.div(static_cast<uint32_t>(at))).remainder;
    }
    return at / wide_inner % wide_channels;
  }
};

template <typename T>
struct ChannelScale {
  using Real = device_acc_t<T>;
  static void run(
      const ChannelShape& shape, const Tensor& in, const Tensor& scale, const Tensor& shift,
      const Tensor& out) {
    const ChannelOf channel(shape, in.numel());
    const auto* x = in.const_data_ptr<T>();
    const auto* scales = scale.const_data_ptr<Real>();
    const auto* shifts = shift.const_data_ptr<Real>();
    auto* y = out.mutable_data_ptr<T>();
    for_each_index(in.numel(), [=] C10_DEVICE(int64_t i) {
      const int64_t c = channel(i);
      y[i] = static_cast<T>(static_cast<Real>(x[i]) * scales[c] + shifts[c]);
    });
  }
};

template <typename T>
struct ChannelCombine {
  using Real = device_acc_t<T>;
  static void run(
      const ChannelShape& shape, const Tensor& grad, const Tensor& in,
      const DeviceCoefficients& coefficients, const Tensor& out) {
    const ChannelOf channel(shape, in.numel());
    const auto* g = grad.const_data_ptr<T>();
    const auto* x = in.const_data_ptr<T>();
    const auto* by_grad = coefficients.by_grad.const_data_ptr<Real>();
    const auto* by_in = coefficients.by_in.const_data_ptr<Real>();
    const auto* centre = coefficients.centre.const_data_ptr<Real>();
    const auto* shift = coefficients.shift.const_data_ptr<Real>();
    auto* y = out.mutable_data_ptr<T>();
    for_each_index(in.numel(), [=] C10_DEVICE(int64_t i) {
      const int64_t c = channel(i);
      const Real deviation = static_cast<Real>(x[i]) - centre[c];
      y[i] = static_cast<T>(static_cast<Real>(g[i]) * by_grad[c] + deviation * by_in[c] + shift[c]);
    });
  }
};

template <typename Real>
struct DotPair {
  Real sum = 0;
  Real dot = 0;
};

// Threads in x share a channel, whose elements are rows of `inner` neighbors. blockIdx.y numbers
// chunks of a channel; `sums` and `dots` are [chunks, channels].
template <typename T>
__global__ void dots_of_planes_kernel(
    const T* grad, const T* in, const device_acc_t<T>* centre, device_acc_t<T>* sums,
    device_acc_t<T>* dots, int64_t count, int64_t channels, int64_t inner, int64_t chunk) {
  using Real = device_acc_t<T>;
  using Pair = DotPair<Real>;
  C10_DYNAMIC_SHARED(Pair, shared);
  const int64_t c = blockIdx.x;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < count ? begin + chunk : count;
  Pair pair;
  const Real mean = centre[c];
  for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) {
    const int64_t image = j / inner;
    const int64_t at = (image * channels + c) * inner + (j - image * inner);
    const Real g = static_cast<Real>(grad[at]);
    pair.sum += g;
    pair.dot += g * (static_cast<Real>(in[at]) - mean);
  }
  pair = block_reduce_x(
      pair,
      [](Pair a, const Pair& b) {
        a.sum += b.sum;
        a.dot += b.dot;
        return a;
      },
      shared);
  if (threadIdx.x == 0) {
    sums[static_cast<int64_t>(blockIdx.y) * channels + c] = pair.sum;
    dots[static_cast<int64_t>(blockIdx.y) * channels + c] = pair.dot;
  }
}

// The same where channels are neighbors: threads in y share a channel.
template <typename T>
__global__ void dots_of_pixels_kernel(
    const T* grad, const T* in, const device_acc_t<T>* centre, device_acc_t<T>* sums,
    device_acc_t<T>* dots, int64_t count, int64_t channels, int64_t chunk) {
  using Real = device_acc_t<T>;
  using Pair = DotPair<Real>;
  C10_DYNAMIC_SHARED(Pair, shared);
  const int64_t c = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * chunk;
  const int64_t end = begin + chunk < count ? begin + chunk : count;
  Pair pair;
  if (c < channels) {
    const Real mean = centre[c];
    for (int64_t j = begin + threadIdx.y; j < end; j += blockDim.y) {
      const Real g = static_cast<Real>(grad[j * channels + c]);
      pair.sum += g;
      pair.dot += g * (static_cast<Real>(in[j * channels + c]) - mean);
    }
  }
  pair = block_reduce_y(
      pair,
      [](Pair a, const Pair& b) {
        a.sum += b.sum;
        a.dot += b.dot;
        return a;
      },
      shared);
  if (c < channels && threadIdx.y == 0) {
    sums[static_cast<int64_t>(blockIdx.y) * channels + c] = pair.sum;
    dots[static_cast<int64_t>(blockIdx.y) * channels + c] = pair.dot;
  }
}

template <typename T>
struct ChannelDots {
  using Real = device_acc_t<T>;
  static void run(
      const ChannelShape& shape, const Tensor& grad, const Tensor& in, const Tensor& centre,
      const Tensor& sums, const Tensor& dots) {
    const int64_t count = shape.count(), channels = shape.channels;
    const int64_t x = shape.channels_last ? std::min<int64_t>(32, ceil_pow2(channels))
                                          : std::clamp<int64_t>(floor_pow2(count / 4), 32, 256);
    const int64_t y =
        shape.channels_last ? std::max(std::min<int64_t>(8, ceil_pow2(count)), 32 / x) : 1;
    const int64_t blocks = shape.channels_last ? ceil_div(channels, x) : channels;
    const int64_t wanted = ceil_div(resident_blocks(256), blocks);
    const int64_t lanes = shape.channels_last ? y : x;
    const int64_t chunks = std::clamp<int64_t>(std::min(wanted, count / (lanes * 16)), 1, 1024);
    const int64_t chunk = ceil_div(count, chunks);
    c10::DataPtr scratch;
    Real* to_sums = sums.mutable_data_ptr<Real>();
    Real* to_dots = dots.mutable_data_ptr<Real>();
    if (chunks > 1) {
      const int64_t part = chunks * channels;
      scratch = c10::cuda::CUDACachingAllocator::get()->allocate(
          static_cast<size_t>(2 * part) * sizeof(Real));
      to_sums = static_cast<Real*>(scratch.get());
      to_dots = to_sums + part;
    }
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(chunks));
    const dim3 block(static_cast<unsigned>(x), static_cast<unsigned>(y));
    const size_t shared = static_cast<size_t>(x * y) * sizeof(DotPair<Real>);
    const auto* g = grad.const_data_ptr<T>();
    const auto* values = in.const_data_ptr<T>();
    const auto* means = centre.const_data_ptr<Real>();
    if (shape.channels_last) {
      launch_on_current_stream(
          dots_of_pixels_kernel<T>, grid, block, shared, g, values, means, to_sums, to_dots, count,
          channels, chunk);
    } else {
      launch_on_current_stream(
          dots_of_planes_kernel<T>, grid, block, shared, g, values, means, to_sums, to_dots, count,
          channels, shape.inner, chunk);
    }
    if (chunks > 1) {
      auto* total_sums = sums.mutable_data_ptr<Real>();
      auto* total_dots = dots.mutable_data_ptr<Real>();
      for_each_index(channels, [=] C10_DEVICE(int64_t c) {
        Real sum = 0, dot = 0;
        for (int64_t k = 0; k < chunks; ++k) {
          sum += to_sums[k * channels + c];
          dot += to_dots[k * channels + c];
        }
        total_sums[c] = sum;
        total_dots[c] = dot;
      });
    }
  }
};

void require(bool known, const char* name, ScalarType dtype) {
  if (!known) {
    unsupported_dtype(name, dtype);
  }
}

} // namespace

void device_channel_moments(
    const Tensor& in, int64_t dim, const Tensor& mean, const Tensor& deviations) {
  const ScalarType dtype = in.scalar_type();
  require(
      for_floating_dtype<ChannelMoments>(dtype, in, dim, mean, deviations), "batch_norm", dtype);
}

void device_channel_scale(
    const ChannelShape& shape, const Tensor& in, const Tensor& scale, const Tensor& shift,
    const Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  require(
      for_floating_dtype<ChannelScale>(dtype, shape, in, scale, shift, out), "batch_norm", dtype);
}

void device_channel_dots(
    const ChannelShape& shape, const Tensor& grad, const Tensor& in, const Tensor& centre,
    const Tensor& sums, const Tensor& dots) {
  const ScalarType dtype = in.scalar_type();
  require(
      for_floating_dtype<ChannelDots>(dtype, shape, grad, in, centre, sums, dots),
      "batch_norm_backward", dtype);
}

void device_channel_combine(
    const ChannelShape& shape, const Tensor& grad, const Tensor& in,
    const DeviceCoefficients& coefficients, const Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  require(
      for_floating_dtype<ChannelCombine>(dtype, shape, grad, in, coefficients, out),
      "batch_norm_backward", dtype);
}

} // namespace at::native
