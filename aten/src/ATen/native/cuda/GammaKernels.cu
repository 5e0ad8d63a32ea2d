// Draws of the gamma, Poisson and binomial distributions, their derivatives, and cauchy_,
// log_normal_ and geometric_.

#include <ATen/native/DrawSlopes.h>
#include <ATen/native/GammaSamplers.h>
#include <ATen/native/RandomKernels.h>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/native/cuda/Distributions.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace at::native {
namespace {

using namespace distributions;

// An element has a stream of its own. A draw takes as many of its numbers as it needs; the
// generator goes on after what suffices for nearly all draws.
constexpr uint64_t kWordsPerDraw = 256;

struct DeviceSource {
  Philox4_32 engine;
  double saved = 0;
  bool has_saved = false;

  C10_DEVICE double uniform() {
    const PhiloxBlock block = engine.next_block();
    return 1 - uniform_double(block.words[0], block.words[1]);
  }
  C10_DEVICE double normal() {
    if (has_saved) {
      has_saved = false;
      return saved;
    }
    const auto pair = NormalDoubles()(engine);
    saved = pair.values[1];
    has_saved = true;
    return pair.values[0];
  }
};

template <DrawnNumber kNumber>
C10_DEVICE double draw(double a, [[maybe_unused]] double b, DeviceSource& source) {
  if constexpr (kNumber == DrawnNumber::Gamma) {
    return samplers::sample_gamma(a, source);
  } else if constexpr (kNumber == DrawnNumber::Poisson) {
    CUDA_KERNEL_ASSERT(a >= 0 && "invalid Poisson rate, expected rate to be non-negative");
    return samplers::sample_poisson(a, source);
  } else {
    return samplers::sample_binomial(a, b, source);
  }
}

template <DrawnNumber kNumber, typename T>
void draw_all(const Tensor& a, const Tensor& b, const Tensor& out, const PhiloxCudaState& state) {
  const T *first = a.const_data_ptr<T>(), *second = b.const_data_ptr<T>();
  T* to = out.mutable_data_ptr<T>();
  for_each_index(out.numel(), [=] C10_DEVICE(int64_t i) {
    DeviceSource source{at::cuda::philox::engine(state, static_cast<uint64_t>(i))};
    to[i] = static_cast<T>(
        draw<kNumber>(static_cast<double>(first[i]), static_cast<double>(second[i]), source));
  });
}

void draw_on_device(
    DrawnNumber number, const Tensor& a, const Tensor& b, const Tensor& out,
    const MaybeGenerator& generator) {
  const c10::cuda::CUDAGuard guard(out.device());
  const PhiloxCudaState state =
      reserve(generator_for(generator, out.device().index()), kWordsPerDraw);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, out.scalar_type(), "random_numbers_cuda", [&] {
    switch (number) {
      case DrawnNumber::Gamma:
        return draw_all<DrawnNumber::Gamma, scalar_t>(a, b, out, state);
      case DrawnNumber::Poisson:
        return draw_all<DrawnNumber::Poisson, scalar_t>(a, b, out, state);
      case DrawnNumber::Binomial:
        return draw_all<DrawnNumber::Binomial, scalar_t>(a, b, out, state);
      case DrawnNumber::Dirichlet:
        break; // drawn as gamma variables
    }
  });
}

void draw_slope_on_device(
    DrawnNumber number, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& out) {
  const c10::cuda::CUDAGuard guard(out.device());
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, out.scalar_type(), "draw_slope_cuda", [&] {
    const auto *first = a.const_data_ptr<scalar_t>(), *second = b.const_data_ptr<scalar_t>();
    const auto* third = c.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    if (number == DrawnNumber::Gamma) {
      for_each_index(out.numel(), [=] C10_DEVICE(int64_t i) {
        to[i] = static_cast<scalar_t>(special_formulas::gamma_draw_slope(
            special_formulas::ComputedNodes(), static_cast<double>(first[i]),
            static_cast<double>(second[i])));
      });
      return;
    }
    for_each_index(out.numel(), [=] C10_DEVICE(int64_t i) {
      const auto x = static_cast<double>(first[i]), alpha = static_cast<double>(second[i]);
      const double rest = static_cast<double>(third[i]) - alpha;
      const double slope =
          special_formulas::beta_draw_slope(special_formulas::ComputedNodes(), alpha, rest, x);
      to[i] = static_cast<scalar_t>(slope / (1 - x));
    });
  });
}

// ---- fills; numbers are in (0, 1], or normal

template <typename T>
struct CauchyOf {
  at::opmath_type<T> median, sigma;
  C10_HOST_DEVICE T operator()(at::opmath_type<T> number) const {
    using M = at::opmath_type<T>;
    return static_cast<T>(median + sigma * std::tan(M(3.141592653589793) * (number - M(0.5))));
  }
};
template <typename T>
struct LogNormalOf {
  at::opmath_type<T> mean, deviation;
  C10_HOST_DEVICE T operator()(at::opmath_type<T> number) const {
    return static_cast<T>(std::exp(number * deviation + mean));
  }
};
template <typename T, typename M>
struct GeometricOf {
  M log_failure;
  C10_HOST_DEVICE T operator()(M number) const {
    return static_cast<T>(std::ceil(std::log(number) / log_failure));
  }
};

template <typename T, typename M, typename Doubles, typename Floats, typename Convert>
void fill_with(
    const Tensor& self, const MaybeGenerator& generator, const Doubles& doubles,
    const Floats& floats, const Convert& convert) {
  if constexpr (std::is_same_v<M, double>) {
    fill_tensor<T>(self, generator, doubles, convert);
  } else {
    fill_tensor<T>(self, generator, floats, convert);
  }
}

void random_fill_on_device(
    RandomFill fill, const Tensor& self, double a, double b, const MaybeGenerator& generator) {
  if (fill == RandomFill::Geometric) {
    AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "geometric_cuda", [&] {
      using M = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;
      fill_with<scalar_t, M>(
          self, generator, UniformDoubles(), UniformFloats(),
          GeometricOf<scalar_t, M>{static_cast<M>(std::log1p(-a))});
    });
    return;
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "random_fill_cuda", [&] {
    using M = at::opmath_type<scalar_t>;
    const auto first = static_cast<M>(a), second = static_cast<M>(b);
    if (fill == RandomFill::Cauchy) {
      fill_with<scalar_t, M>(
          self, generator, UniformDoubles(), UniformFloats(), CauchyOf<scalar_t>{first, second});
    } else {
      fill_with<scalar_t, M>(
          self, generator, NormalDoubles(), NormalFloats(), LogNormalOf<scalar_t>{first, second});
    }
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(draw_stub, &draw_on_device)
REGISTER_CUDA_DISPATCH(draw_slope_stub, &draw_slope_on_device)
REGISTER_CUDA_DISPATCH(random_fill_stub, &random_fill_on_device)

} // namespace at::native
