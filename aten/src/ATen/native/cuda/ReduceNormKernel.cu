#include <ATen/native/cuda/ReduceExtremum.cuh>

#include <cmath>

namespace at::native {
namespace {

template <typename In, NormKind kind>
struct NormOp {
  using in_t = In;
  using acc_t = In; // float or double: the caller widens the 16-bit types

  FloatingStore<In> out;
  double p;

  C10_DEVICE acc_t identity() const {
    return kind == NormKind::Min ? std::numeric_limits<In>::infinity() : In(0);
  }
  C10_DEVICE acc_t step(acc_t acc, In x, int64_t) const {
    if constexpr (kind == NormKind::Zero) {
      return acc + (x != In(0) ? In(1) : In(0));
    } else if constexpr (kind == NormKind::Two) {
      return acc + x * x;
    } else if constexpr (kind == NormKind::P) {
      return acc + std::pow(std::abs(x), static_cast<In>(p));
    } else {
      return combine(acc, std::abs(x));
    }
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    if constexpr (kind == NormKind::Max || kind == NormKind::Min) {
      return more_extreme<In, kind == NormKind::Max>(b, a) ? b : a;
    } else {
      return a + b;
    }
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t) const {
    if constexpr (kind == NormKind::Two) {
      acc = std::sqrt(acc);
    } else if constexpr (kind == NormKind::P) {
      acc = std::pow(acc, static_cast<In>(1 / p));
    }
    out(at, acc);
  }

  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double p) {
    reduce_on_device(NormOp{{out.mutable_data_ptr(), sink.dtype}, p}, in, mask, out, out2);
  }
};

template <typename In>
const ReduceKernel* by_kind(NormKind kind) {
  switch (kind) {
    case NormKind::Zero:
      return &OnDeviceKernel<NormOp<In, NormKind::Zero>>::kernel;
    case NormKind::One:
      return &OnDeviceKernel<NormOp<In, NormKind::One>>::kernel;
    case NormKind::Two:
      return &OnDeviceKernel<NormOp<In, NormKind::Two>>::kernel;
    case NormKind::Max:
      return &OnDeviceKernel<NormOp<In, NormKind::Max>>::kernel;
    case NormKind::Min:
      return &OnDeviceKernel<NormOp<In, NormKind::Min>>::kernel;
    case NormKind::P:
      return &OnDeviceKernel<NormOp<In, NormKind::P>>::kernel;
  }
  return nullptr;
}

const ReduceKernel* norm_on_device(c10::ScalarType dtype, NormKind kind) {
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

REGISTER_CUDA_DISPATCH(norm_kernels, &norm_on_device)

} // namespace at::native
