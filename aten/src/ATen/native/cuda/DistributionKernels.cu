// uniform_, normal_, random_ and bernoulli_.

#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/native/RandomKernels.h>
#include <ATen/native/cuda/Distributions.cuh>

#include <limits>
#include <type_traits>

namespace at::native {
namespace {

using namespace distributions;

// Draws are in (0, 1]; a number that comes out as the excluded bound becomes the lower one.
template <typename T>
struct Scale {
  at::opmath_type<T> width, from, to;
  C10_HOST_DEVICE T operator()(at::opmath_type<T> number) const {
    const T value = static_cast<T>(number * width + from);
    return static_cast<at::opmath_type<T>>(value) == to ? static_cast<T>(from) : value;
  }
};
template <typename T>
struct Shift {
  at::opmath_type<T> mean, std;
  C10_HOST_DEVICE T operator()(at::opmath_type<T> number) const {
    return static_cast<T>(number * std + mean);
  }
};
template <typename T>
struct Below {
  uint64_t range;
  int64_t base;
  C10_HOST_DEVICE T operator()(uint64_t number) const {
    return static_cast<T>(static_cast<int64_t>(number % range + static_cast<uint64_t>(base)));
  }
};
template <typename T>
struct Whole {
  C10_HOST_DEVICE T operator()(uint64_t number) const {
    return static_cast<T>(static_cast<int64_t>(number));
  }
};
// Numbers that the dtype represents exactly.
template <typename T>
struct Default {
  C10_HOST_DEVICE T operator()(uint64_t number) const {
    if constexpr (std::is_same_v<T, bool>) {
      return (number & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(number & static_cast<uint64_t>(std::numeric_limits<T>::max()));
    } else {
      constexpr uint64_t kCount = (uint64_t{1} << std::numeric_limits<T>::digits) + 1;
      return static_cast<T>(static_cast<at::opmath_type<T>>(number % kCount));
    }
  }
};
template <typename T>
struct Chance {
  float p;
  C10_HOST_DEVICE T operator()(float number) const { return static_cast<T>(number <= p); }
};
template <typename T, typename P>
struct ChanceOfEach {
  C10_HOST_DEVICE void operator()(P number, char* const* addresses) const {
    const P p = *reinterpret_cast<const P*>(addresses[1]);
    *reinterpret_cast<T*>(addresses[0]) = static_cast<T>(number <= p);
  }
};

void uniform_kernel_cuda(
    const Tensor& self, double from, double to, const MaybeGenerator& generator) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "uniform_cuda", [&] {
    using M = at::opmath_type<scalar_t>;
    const auto low = static_cast<M>(static_cast<scalar_t>(from));
    const auto high = static_cast<M>(static_cast<scalar_t>(to));
    const Scale<scalar_t> scale{high - low, low, high};
    if constexpr (std::is_same_v<scalar_t, double>) {
      fill_tensor<scalar_t>(self, generator, UniformDoubles(), scale);
    } else {
      fill_tensor<scalar_t>(self, generator, UniformFloats(), scale);
    }
  });
}

void normal_kernel_cuda(
    const Tensor& self, double mean, double std, const MaybeGenerator& generator) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "normal_cuda", [&] {
    using M = at::opmath_type<scalar_t>;
    const Shift<scalar_t> shift{static_cast<M>(mean), static_cast<M>(std)};
    if constexpr (std::is_same_v<scalar_t, double>) {
      fill_tensor<scalar_t>(self, generator, NormalDoubles(), shift);
    } else {
      fill_tensor<scalar_t>(self, generator, NormalFloats(), shift);
    }
  });
}

void random_range_kernel_cuda(
    const Tensor& self, uint64_t range, int64_t base, const MaybeGenerator& generator) {
  AT_DISPATCH_V2(
      self.scalar_type(), "random_from_to_cuda", AT_WRAP([&] {
        const Below<scalar_t> below{range, base};
        if (range >= (uint64_t{1} << 28)) {
          fill_tensor<scalar_t>(self, generator, Words64(), below);
        } else {
          fill_tensor<scalar_t>(self, generator, Words32(), below);
        }
      }),
      AT_EXPAND(AT_ALL_TYPES), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), kBool, kHalf, kBFloat16);
}

void random_full_range_kernel_cuda(const Tensor& self, const MaybeGenerator& generator) {
  AT_DISPATCH_SWITCH(
      self.scalar_type(), "random_full_64_bits_range_cuda",
      AT_DISPATCH_CASE_4(kLong, kDouble, kFloat, kBFloat16, [&] {
        fill_tensor<scalar_t>(self, generator, Words64(), Whole<scalar_t>());
      }));
}

void random_default_kernel_cuda(const Tensor& self, const MaybeGenerator& generator) {
  AT_DISPATCH_ALL_TYPES_AND3(kBool, kHalf, kBFloat16, self.scalar_type(), "random_cuda", [&] {
    if constexpr (sizeof(scalar_t) == 8) {
      fill_tensor<scalar_t>(self, generator, Words64(), Default<scalar_t>());
    } else {
      fill_tensor<scalar_t>(self, generator, Words32(), Default<scalar_t>());
    }
  });
}

void bernoulli_kernel_cuda(const Tensor& self, double p, const MaybeGenerator& generator) {
  AT_DISPATCH_ALL_TYPES_AND3(
      kBool, kHalf, kBFloat16, self.scalar_type(), "bernoulli_scalar_cuda_", [&] {
        fill_tensor<scalar_t>(
            self, generator, UniformFloats(), Chance<scalar_t>{static_cast<float>(p)});
      });
}

void bernoulli_each_kernel_cuda(
    const Tensor& self, const Tensor& p, const MaybeGenerator& generator) {
  auto iter = TensorIteratorConfig()
                  .add_output(self)
                  .add_const_input(p)
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .build();
  AT_DISPATCH_ALL_TYPES_AND3(
      kBool, kHalf, kBFloat16, self.scalar_type(), "bernoulli_tensor_cuda_self_", [&] {
        if (p.scalar_type() == kDouble) {
          fill<2>(iter, generator, UniformDoubles(), ChanceOfEach<scalar_t, double>());
        } else {
          fill<2>(iter, generator, UniformFloats(), ChanceOfEach<scalar_t, float>());
        }
      });
}

} // namespace

REGISTER_CUDA_DISPATCH(uniform_stub, &uniform_kernel_cuda)
REGISTER_CUDA_DISPATCH(normal_stub, &normal_kernel_cuda)
REGISTER_CUDA_DISPATCH(random_range_stub, &random_range_kernel_cuda)
REGISTER_CUDA_DISPATCH(random_full_range_stub, &random_full_range_kernel_cuda)
REGISTER_CUDA_DISPATCH(random_default_stub, &random_default_kernel_cuda)
REGISTER_CUDA_DISPATCH(bernoulli_stub, &bernoulli_kernel_cuda)
REGISTER_CUDA_DISPATCH(bernoulli_each_stub, &bernoulli_each_kernel_cuda)

} // namespace at::native
