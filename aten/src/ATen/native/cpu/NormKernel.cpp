#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/ExtremumOp.h>
#include <ATen/native/cpu/LaneReduce.h>

#include <cmath>

namespace at::native {
namespace {

// |x| on scalars and on vectors.
template <class T>
T magnitude(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::abs(x);
  } else {
    return x < 0 ? -x : x;
  }
}

template <class In, NormKind kind>
struct NormOp {
  using in_t = In;
  using lane_t = wide_lane_t<In>;
  using acc_t = double;
  using Extremum = ExtremumOp<In, kind == NormKind::Max>;
  static constexpr bool kExtreme = kind == NormKind::Max || kind == NormKind::Min;
  static constexpr int64_t kBlock = 4096;

  static constexpr lane_t identity() {
    return kind == NormKind::Min ? std::numeric_limits<lane_t>::infinity() : lane_t(0);
  }
  static constexpr acc_t carry_identity() { return identity(); }

  template <class T>
  static T step(T a, T x) {
    if constexpr (kind == NormKind::Zero) {
      return a + (x != 0 ? T{} + 1 : T{});
    } else if constexpr (kind == NormKind::One) {
      return a + magnitude(x);
    } else if constexpr (kind == NormKind::Two) {
      return a + x * x;
    } else {
      return Extremum::step(a, magnitude(x));
    }
  }
  template <class T>
  static T merge(T a, T b) {
    if constexpr (kExtreme) {
      return Extremum::merge(a, b);
    } else {
      return a + b;
    }
  }
  static acc_t fold(acc_t a, lane_t b) { return merge<acc_t>(a, static_cast<acc_t>(b)); }
  static acc_t combine(acc_t a, acc_t b) { return merge(a, b); }
};

// Sum of |x|^p for a p without a specialized kernel.
template <class In>
struct PowerSum {
  using Base = LaneReduce<NormOp<In, NormKind::One>>;
  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double p) {
    for (int64_t c = 0; c < count; ++c) {
      const In* x = static_cast<const In*>(in) + c * out_step;
      double total = 0;
      for (int64_t k = 0; k < n; ++k) {
        total += std::pow(std::abs(static_cast<double>(x[k * step])), p);
      }
      static_cast<double*>(acc)[c] += total;
    }
  }
  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t, double p) {
    inner(acc, in, count, 1, rows, row_step, 0, p);
  }
  static constexpr ReduceKernel kernel{sizeof(double), sizeof(In), &Base::init,
                                       &inner,         &outer,     &Base::combine};
};

template <class In>
const ReduceKernel* by_kind(NormKind kind) {
  switch (kind) {
    case NormKind::Zero:
      return &LaneReduce<NormOp<In, NormKind::Zero>>::kernel;
    case NormKind::One:
      return &LaneReduce<NormOp<In, NormKind::One>>::kernel;
    case NormKind::Two:
      return &LaneReduce<NormOp<In, NormKind::Two>>::kernel;
    case NormKind::Max:
      return &LaneReduce<NormOp<In, NormKind::Max>>::kernel;
    case NormKind::Min:
      return &LaneReduce<NormOp<In, NormKind::Min>>::kernel;
    case NormKind::P:
      return &PowerSum<In>::kernel;
  }
  return nullptr;
}

const ReduceKernel* kernels_for(c10::ScalarType dtype, NormKind kind) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return by_kind<float>(kind);
    case c10::ScalarType::Double:
      return by_kind<double>(kind);
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(norm_kernels, &kernels_for)

} // namespace at::native
