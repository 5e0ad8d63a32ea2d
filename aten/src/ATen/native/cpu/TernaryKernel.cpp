// addcmul, addcdiv, lerp and where.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
complex_math<T> complex_scale(const Scalar& value) {
  const auto wide = value.to<c10::complex<double>>();
  return complex_math<T>(
      static_cast<at::opmath_type<T>>(wide.real()), static_cast<at::opmath_type<T>>(wide.imag()));
}

// self + value * a * b
void addcmul_kernel(TensorIteratorBase& iter, const Scalar& value) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype)) {
    for_complex(dtype, "addcmul_cpu_out", [&]<typename T>(T) {
      using Z = c10::complex<T>;
      const auto scale = complex_scale<T>(value);
      cpu_kernel(iter, [scale](Z self, Z a, Z b) -> Z {
        return narrow<T>(widen(self) + scale * widen(a) * widen(b));
      });
    });
    return;
  }
  const auto run = [&]<typename T>(T) {
    const auto scale = value.to<vec::lane_type<T>>();
    vec_kernel<T(T, T, T)>(
        iter, [scale](auto self, auto a, auto b) { return self + scale * a * b; });
  };
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "addcmul_cpu_out", run);
  } else {
    for_integer(dtype, "addcmul_cpu_out", run);
  }
}

// self + value * a / b
void addcdiv_kernel(TensorIteratorBase& iter, const Scalar& value) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype) && dtype != kComplexHalf) {
    for_complex(dtype, "addcdiv_cpu_out", [&]<typename T>(T) {
      using Z = c10::complex<T>;
      const auto scale = complex_scale<T>(value);
      cpu_kernel(iter, [scale](Z self, Z a, Z b) -> Z {
        return narrow<T>(widen(self) + scale * widen(a) / widen(b));
      });
    });
    return;
  }
  for_floating(dtype, "addcdiv_cpu_out", [&]<typename T>(T) {
    const auto scale = value.to<vec::lane_type<T>>();
    vec_kernel<T(T, T, T)>(
        iter, [scale](auto self, auto a, auto b) { return self + scale * a / b; });
  });
}

// From the nearer end, so that a weight of 1 gives `end` itself.
template <typename V>
C10_ALWAYS_INLINE V lerp(V self, V end, V weight) {
  using E = vec::element_of<V>;
  const V difference = end - self;
  return vec::abs(weight) < E(0.5) ? self + weight * difference
                                   : end - difference * (E(1) - weight);
}

template <typename T>
C10_ALWAYS_INLINE c10::complex<T> lerp(
    c10::complex<T> self, c10::complex<T> end, c10::complex<T> weight) {
  const bool near = weight.real() * weight.real() + weight.imag() * weight.imag() < T(0.25);
  const auto difference = end - self;
  return near ? self + weight * difference : end - difference * (c10::complex<T>(1) - weight);
}

void lerp_tensor_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (dtype == kComplexFloat) {
    using Z = c10::complex<float>;
    return cpu_kernel(iter, [](Z self, Z end, Z weight) -> Z { return lerp(self, end, weight); });
  }
  if (dtype == kComplexDouble) {
    using Z = c10::complex<double>;
    return cpu_kernel(iter, [](Z self, Z end, Z weight) -> Z { return lerp(self, end, weight); });
  }
  for_floating(dtype, "lerp_kernel_tensor", [&]<typename T>(T) {
    vec_kernel<T(T, T, T)>(
        iter, [](auto self, auto end, auto weight) { return lerp(self, end, weight); });
  });
}

void lerp_scalar_kernel(TensorIteratorBase& iter, const Scalar& weight) {
  const auto dtype = iter.common_dtype();
  if (dtype == kComplexFloat) {
    using Z = c10::complex<float>;
    const Z w = complex_scale<float>(weight);
    return cpu_kernel(iter, [w](Z self, Z end) -> Z { return lerp(self, end, w); });
  }
  if (dtype == kComplexDouble) {
    using Z = c10::complex<double>;
    const Z w = complex_scale<double>(weight);
    return cpu_kernel(iter, [w](Z self, Z end) -> Z { return lerp(self, end, w); });
  }
  for_floating(dtype, "lerp_kernel_scalar", [&]<typename T>(T) {
    const auto w = static_cast<vec::lane_type<T>>(weight.to<double>());
    vec_kernel<T(T, T)>(
        iter, [w](auto self, auto end) { return lerp(self, end, vec::splat<decltype(self)>(w)); });
  });
}

// Moves bits, so a loop per element size is enough.
void where_kernel(TensorIteratorBase& iter) {
  struct Pair {
    uint64_t words[2];
  };
  const auto run = [&]<typename T>(T) {
    vec_kernel<T(bool, T, T)>(iter, [](auto condition, auto a, auto b) {
      using V = decltype(a);
      const auto mask = vec::convert_lanes<vec::int_like<T>>(condition);
      return mask != vec::mask_of<V>{} ? a : b;
    });
  };
  switch (iter.element_size(0)) {
    case 1:
      return run(uint8_t());
    case 2:
      return run(uint16_t());
    case 4:
      return run(uint32_t());
    case 8:
      return run(uint64_t());
    default:
      return cpu_kernel(
          iter, [](bool condition, Pair a, Pair b) -> Pair { return condition ? a : b; });
  }
}

} // namespace

REGISTER_DISPATCH(addcmul_stub, &addcmul_kernel)
REGISTER_DISPATCH(addcdiv_stub, &addcdiv_kernel)
REGISTER_DISPATCH(lerp_tensor_stub, &lerp_tensor_kernel)
REGISTER_DISPATCH(lerp_scalar_stub, &lerp_scalar_kernel)
REGISTER_DISPATCH(where_stub, &where_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
