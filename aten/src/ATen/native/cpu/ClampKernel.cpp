// clamp. If any argument is NaN, the result is NaN.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// The types that clamp supports, and how a bound given as a number is converted to them.
template <typename F>
void for_ordered(ScalarType dtype, const char* name, const F& f) {
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, name, f);
  } else {
    for_integer(dtype, name, f);
  }
}

template <typename T>
auto bound_in(const Scalar& bound) {
  return static_cast<vec::lane_type<T>>(bound.to<T>());
}

void clamp_kernel(TensorIteratorBase& iter) {
  const auto run = [&]<typename T>(T) {
    vec_kernel<T(T, T, T)>(iter, [](auto a, auto low, auto high) {
      a = a < low ? low : a;
      a = low == low ? a : low;
      a = high < a ? high : a;
      return high == high ? a : high;
    });
  };
  for_ordered(iter.common_dtype(), "clamp_cpu", run);
}

// An infinite bound leaves its side open, so one loop handles all three cases.
template <typename T>
void clamp_between(TensorIteratorBase& iter, vec::lane_type<T> low, vec::lane_type<T> high) {
  vec_kernel<T(T)>(iter, [low, high](auto a) {
    const auto lows = vec::splat<decltype(a)>(low);
    const auto highs = vec::splat<decltype(a)>(high);
    a = a < lows ? lows : a;
    return highs < a ? highs : a;
  });
}

template <typename T>
constexpr auto lowest_of() {
  using L = vec::lane_type<T>;
  return std::numeric_limits<L>::has_infinity ? -std::numeric_limits<L>::infinity()
                                              : std::numeric_limits<L>::lowest();
}
template <typename T>
constexpr auto highest_of() {
  using L = vec::lane_type<T>;
  return std::numeric_limits<L>::has_infinity ? std::numeric_limits<L>::infinity()
                                              : std::numeric_limits<L>::max();
}

void clamp_scalar_kernel(TensorIteratorBase& iter, const Scalar& low, const Scalar& high) {
  for_ordered(iter.common_dtype(), "clamp_scalar_cpu", [&]<typename T>(T) {
    clamp_between<T>(iter, bound_in<T>(low), bound_in<T>(high));
  });
}

void clamp_min_scalar_kernel(TensorIteratorBase& iter, const Scalar& low) {
  for_ordered(iter.common_dtype(), "clamp_min_scalar_cpu", [&]<typename T>(T) {
    clamp_between<T>(iter, bound_in<T>(low), highest_of<T>());
  });
}

void clamp_max_scalar_kernel(TensorIteratorBase& iter, const Scalar& high) {
  for_ordered(iter.common_dtype(), "clamp_max_scalar_cpu", [&]<typename T>(T) {
    clamp_between<T>(iter, lowest_of<T>(), bound_in<T>(high));
  });
}

} // namespace

REGISTER_DISPATCH(clamp_stub, &clamp_kernel)
REGISTER_DISPATCH(clamp_scalar_stub, &clamp_scalar_kernel)
REGISTER_DISPATCH(clamp_min_scalar_stub, &clamp_min_scalar_kernel)
REGISTER_DISPATCH(clamp_max_scalar_stub, &clamp_max_scalar_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
