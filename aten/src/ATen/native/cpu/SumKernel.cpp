#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/LaneReduce.h>

#include <c10/util/complex.h>

namespace at::native {
namespace {

template <class In>
struct SumOp {
  using in_t = In;
  using lane_t = std::conditional_t<std::is_same_v<In, int32_t>, int64_t, wide_lane_t<In>>;
  using acc_t = carry_t<In>;
  static constexpr int64_t kBlock = 4096;
  static constexpr lane_t identity() { return 0; }
  static constexpr acc_t carry_identity() { return 0; }
  template <class T>
  static T step(T a, T x) {
    return a + x;
  }
  template <class T>
  static T merge(T a, T b) {
    return a + b;
  }
  static acc_t fold(acc_t a, lane_t b) { return a + static_cast<acc_t>(b); }
  static acc_t combine(acc_t a, acc_t b) { return a + b; }
};

// The sum of the elements that are numbers.
template <class In>
struct NanSumOp : SumOp<In> {
  template <class T>
  static T step(T a, T x) {
    return a + (x == x ? x : T{});
  }
};

// A complex sum is a real sum over two columns.
template <class Real>
struct ComplexSum {
  using Columns = LaneReduce<SumOp<Real>>;
  static void init(void* acc, int64_t count) { Columns::init(acc, 2 * count); }
  static void combine(void* acc, const void* other, int64_t count) {
    Columns::combine(acc, other, 2 * count);
  }
  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double) {
    for (int64_t c = 0; c < count; ++c) {
      Columns::outer(
          static_cast<double*>(acc) + 2 * c, static_cast<const Real*>(in) + 2 * c * out_step, 2, n,
          2 * step, 0, 0);
    }
  }
  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t, double) {
    const int64_t first = count / 2;
    Columns::outer(acc, in, 2 * first, rows, 2 * row_step, 0, 0);
    Columns::outer(
        static_cast<double*>(acc) + 2 * first, static_cast<const Real*>(in) + 2 * first,
        2 * (count - first), rows, 2 * row_step, 0, 0);
  }
  static constexpr ReduceKernel kernel{
      2 * sizeof(double), 2 * sizeof(Real), &init, &inner, &outer, &combine};
};

const ReduceKernel* kernels_for(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &LaneReduce<SumOp<uint8_t>>::kernel;
    case c10::ScalarType::Char:
      return &LaneReduce<SumOp<int8_t>>::kernel;
    case c10::ScalarType::Short:
      return &LaneReduce<SumOp<int16_t>>::kernel;
    case c10::ScalarType::Int:
      return &LaneReduce<SumOp<int32_t>>::kernel;
    case c10::ScalarType::Long:
      return &LaneReduce<SumOp<int64_t>>::kernel;
    case c10::ScalarType::Half:
      return &LaneReduce<SumOp<c10::Half>>::kernel;
    case c10::ScalarType::BFloat16:
      return &LaneReduce<SumOp<c10::BFloat16>>::kernel;
    case c10::ScalarType::Float:
      return &LaneReduce<SumOp<float>>::kernel;
    case c10::ScalarType::Double:
      return &LaneReduce<SumOp<double>>::kernel;
    case c10::ScalarType::ComplexFloat:
      return &ComplexSum<float>::kernel;
    case c10::ScalarType::ComplexDouble:
      return &ComplexSum<double>::kernel;
    default:
      return nullptr;
  }
}

const ReduceKernel* nansum_kernels_for(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Half:
      return &LaneReduce<NanSumOp<c10::Half>>::kernel;
    case c10::ScalarType::BFloat16:
      return &LaneReduce<NanSumOp<c10::BFloat16>>::kernel;
    case c10::ScalarType::Float:
      return &LaneReduce<NanSumOp<float>>::kernel;
    case c10::ScalarType::Double:
      return &LaneReduce<NanSumOp<double>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(sum_kernels, &kernels_for)
REGISTER_DISPATCH(nansum_kernels, &nansum_kernels_for)

} // namespace at::native
