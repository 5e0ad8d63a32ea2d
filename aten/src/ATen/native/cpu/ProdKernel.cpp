#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/LaneReduce.h>

#include <c10/util/complex.h>

namespace at::native {
namespace {

template <class In>
struct ProdOp {
  using in_t = In;
  using lane_t = std::conditional_t<std::is_integral_v<In>, int64_t, wide_lane_t<In>>;
  using acc_t = carry_t<In>;
  static constexpr int64_t kBlock = 4096;
  static constexpr lane_t identity() { return 1; }
  static constexpr acc_t carry_identity() { return 1; }
  template <class T>
  static T step(T a, T x) {
    return a * x;
  }
  template <class T>
  static T merge(T a, T b) {
    return a * b;
  }
  static acc_t fold(acc_t a, lane_t b) { return a * static_cast<acc_t>(b); }
  static acc_t combine(acc_t a, acc_t b) { return a * b; }
};

template <class Real>
struct ComplexProd {
  using Acc = c10::complex<double>;
  using In = c10::complex<Real>;
  static Acc times(Acc a, In b) { return a * Acc(b.real(), b.imag()); }
  static void init(void* acc, int64_t count) { std::fill_n(static_cast<Acc*>(acc), count, Acc(1)); }
  static void combine(void* acc, const void* other, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<Acc*>(acc)[i] *= static_cast<const Acc*>(other)[i];
    }
  }
  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double) {
    for (int64_t c = 0; c < count; ++c) {
      Acc product = static_cast<Acc*>(acc)[c];
      const In* p = static_cast<const In*>(in) + c * out_step;
      for (int64_t k = 0; k < n; ++k) {
        product = times(product, p[k * step]);
      }
      static_cast<Acc*>(acc)[c] = product;
    }
  }
  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t, double) {
    inner(acc, in, count, 1, rows, row_step, 0, 0);
  }
  static constexpr ReduceKernel kernel{sizeof(Acc), sizeof(In), &init, &inner, &outer, &combine};
};

const ReduceKernel* kernels_for(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &LaneReduce<ProdOp<uint8_t>>::kernel;
    case c10::ScalarType::Char:
      return &LaneReduce<ProdOp<int8_t>>::kernel;
    case c10::ScalarType::Short:
      return &LaneReduce<ProdOp<int16_t>>::kernel;
    case c10::ScalarType::Int:
      return &LaneReduce<ProdOp<int32_t>>::kernel;
    case c10::ScalarType::Long:
      return &LaneReduce<ProdOp<int64_t>>::kernel;
    case c10::ScalarType::Half:
      return &LaneReduce<ProdOp<c10::Half>>::kernel;
    case c10::ScalarType::BFloat16:
      return &LaneReduce<ProdOp<c10::BFloat16>>::kernel;
    case c10::ScalarType::Float:
      return &LaneReduce<ProdOp<float>>::kernel;
    case c10::ScalarType::Double:
      return &LaneReduce<ProdOp<double>>::kernel;
    case c10::ScalarType::ComplexFloat:
      return &ComplexProd<float>::kernel;
    case c10::ScalarType::ComplexDouble:
      return &ComplexProd<double>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(prod_kernels, &kernels_for)

} // namespace at::native
