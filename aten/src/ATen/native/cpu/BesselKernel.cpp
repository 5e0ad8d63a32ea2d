// Bessel and Airy functions, in double precision also for floats.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_trig.h>
#include <ATen/native/BesselFormulas.h>
#include <ATen/native/cpu/DoubleLoops.h>

#include <type_traits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// One copy of each for all functions.
C10_NOINLINE Doubles call_cos(Doubles x) {
  return vec::cos(x);
}
C10_NOINLINE Doubles call_exp(Doubles x) {
  return vec::exp(x);
}
C10_NOINLINE Doubles call_log(Doubles x) {
  return vec::log(x);
}
C10_NOINLINE Doubles call_sin(Doubles x) {
  return vec::sin(x);
}

// The elementary functions of BesselFormulas.h for a vector of doubles.
template <bool Short>
struct LaneMath {
  using V = Doubles;
  static constexpr bool kShort = Short;
  static V abs(V x) { return vec::abs(x); }
  static V cos(V x) { return call_cos(x); }
  static V exp(V x) { return call_exp(x); }
  static V fma(V a, V b, V c) { return vec::fma(a, b, c); }
  static V log(V x) { return call_log(x); }
  static V sin(V x) { return call_sin(x); }
  static V sqrt(V x) { return vec::sqrt(x); }
  template <typename Mask>
  static bool any(const Mask& mask) {
    return vec::any_lane(mask);
  }
  template <typename Mask>
  static bool all(const Mask& mask) {
    return !vec::any_lane(~mask);
  }
  static V splat(double value) { return vec::splat<V>(value); }
};

template <typename T>
void run(const ElementaryCall& call) {
  using Math = LaneMath<std::is_same_v<T, float>>;
  const auto over = [&](auto function) { over_lanes<T>(call, function); };
  switch (call.function) {
    case Elementary::AiryAi:
      return over([](Doubles x) { return bessel::airy<Math>(x); });
    case Elementary::BesselJ0:
      return over([](Doubles x) { return bessel::j0<Math>(x); });
    case Elementary::BesselJ1:
      return over([](Doubles x) { return bessel::j1<Math>(x); });
    case Elementary::BesselY0:
      return over([](Doubles x) { return bessel::y0<Math>(x); });
    case Elementary::BesselY1:
      return over([](Doubles x) { return bessel::y1<Math>(x); });
    case Elementary::BesselK0:
      return over([](Doubles x) { return bessel::k<Math, 0>(x); });
    case Elementary::BesselK1:
      return over([](Doubles x) { return bessel::k<Math, 1>(x); });
    case Elementary::ScaledBesselK0:
      return over([](Doubles x) { return bessel::scaled_k<Math, 0>(x); });
    case Elementary::ScaledBesselK1:
      return over([](Doubles x) { return bessel::scaled_k<Math, 1>(x); });
    case Elementary::SphericalBesselJ0:
      return over([](Doubles x) { return bessel::spherical_j0<Math>(x); });
    default:
      return;
  }
}

void bessel_kernel(const ElementaryCall& call) {
  call.is_double ? run<double>(call) : run<float>(call);
}

} // namespace

REGISTER_DISPATCH(bessel_stub, &bessel_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
