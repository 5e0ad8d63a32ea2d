// Special functions that are computed in double precision also for floats.

#include <ATen/cpu/vec/vec_gamma.h>
#include <ATen/cpu/vec/vec_normal.h>
#include <ATen/native/ElementaryMath.h>
#include <ATen/native/SpecialMath.h>
#include <ATen/native/cpu/DoubleLoops.h>

#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using Mask = at::vec::mask_of<Doubles>;

// Replaces the lanes of a mask by the results of a scalar function.
C10_NOINLINE void replace_lanes(
    const Doubles& x, const Mask& mask, double (*function)(double), Doubles& result) {
  for (int i = 0; i < kLanes<double>; ++i) {
    if (mask[i] != 0) {
      result[i] = function(x[i]);
    }
  }
}

// Near the zeros below 0 the terms of the reflection cancel, which doubles cannot afford.
template <bool Short>
Doubles exact_lgamma(Doubles x) {
  Doubles result = vec::lgamma(x);
  if constexpr (!Short) {
    const Mask cancelled = (x < Doubles{}) & (vec::abs(result) < 1.0 - 0.25 * x);
    if (vec::any_lane(cancelled)) {
      replace_lanes(x, cancelled, special_math::lgamma, result);
    }
  }
  return result;
}

template <bool Short>
Doubles whole_ndtri(Doubles p) {
  Doubles w;
  Doubles result = vec::ndtri<Short>(p, w);
  const Mask far = (w > vec::kErfinvEnd) & (p > 0.0);
  if (C10_UNLIKELY(vec::any_lane(far))) {
    replace_lanes(p, far, special_math::ndtri, result);
  }
  return result;
}

// The ends of the domain, and numbers for which the series are long, go to the scalar function.
template <bool Upper>
Doubles whole_incomplete_gamma(Doubles a, Doubles x) {
  constexpr double kTolerance = 1e-10; // enough for floats
  const Doubles one = vec::splat<Doubles>(1.0);
  const Mask near = (a > 0.0) & (a < 10.0) & (x > 0.0) & (x < 1000.0);
  Doubles result = vec::incomplete_gamma<Upper>(near ? a : one, near ? x : one, kTolerance);
  if (C10_UNLIKELY(vec::any_lane(~near))) {
    for (int i = 0; i < kLanes<double>; ++i) {
      if (near[i] == 0) {
        result[i] = Upper ? special_math::gammaincc(a[i], x[i], kTolerance)
                          : special_math::gammainc(a[i], x[i], kTolerance);
      }
    }
  }
  return result;
}

template <typename T>
void run(const ElementaryCall& call) {
  constexpr bool kShort = std::is_same_v<T, float>;
  switch (call.function) {
    case Elementary::Lgamma:
      return over_lanes<T>(call, [](Doubles x) { return exact_lgamma<kShort>(x); });
    case Elementary::Digamma:
      return over_lanes<T>(call, [](Doubles x) { return vec::digamma(x); });
    case Elementary::Trigamma:
      return over_lanes<T>(call, [](Doubles x) { return vec::trigamma(x); });
    case Elementary::Erfinv:
      return over_lanes<T, std::conditional_t<vec::has_lookup, T, double>>(
          call, [](auto y) { return vec::erfinv<kShort>(y); });
    case Elementary::Ndtri:
      return over_lanes<T>(call, whole_ndtri<kShort>);
    case Elementary::Erfcx:
      return over_lanes<T>(call, [](Doubles x) { return vec::erfcx<kShort>(x); });
    case Elementary::LogNdtr:
      return over_lanes<T>(call, [](Doubles x) { return vec::log_ndtr<kShort>(x); });
    case Elementary::Gammainc:
      return over_pairs_of_doubles<float>(
          call, [](Doubles a, Doubles x) { return whole_incomplete_gamma<false>(a, x); });
    case Elementary::Gammaincc:
      return over_pairs_of_doubles<float>(
          call, [](Doubles a, Doubles x) { return whole_incomplete_gamma<true>(a, x); });
    default:
      return;
  }
}

void special_kernel(const ElementaryCall& call) {
  call.is_double ? run<double>(call) : run<float>(call);
}

} // namespace

REGISTER_DISPATCH(special_stub, &special_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
