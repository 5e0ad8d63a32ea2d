#include <ATen/native/cuda/ReduceTypes.cuh>
#include <ATen/native/cuda/Welford.cuh>

#include <cmath>

namespace at::native {
namespace {

template <typename In>
struct MomentsOp {
  using in_t = In;
  using Real = device_acc_t<In>;
  using acc_t = Moments<Real>;

  In* out;
  In* mean; // may be null
  double correction;
  bool root;

  C10_DEVICE acc_t identity() const { return {}; }
  C10_DEVICE acc_t step(acc_t acc, In x, int64_t) const {
    acc.add(static_cast<Real>(x));
    return acc;
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    a.add(b);
    return a;
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t mean_at) const {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    const Real freedom = acc.count - static_cast<Real>(correction);
    const Real var =
        acc.count == Real(0) ? nan : acc.deviations / (freedom > Real(0) ? freedom : Real(0));
    out[at] = static_cast<In>(root ? std::sqrt(var) : var);
    if (mean != nullptr) {
      mean[mean_at] = static_cast<In>(acc.count == Real(0) ? nan : acc.mean);
    }
  }

  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double) {
    const MomentsOp op{
        static_cast<In*>(out.mutable_data_ptr()),
        out2.defined() ? static_cast<In*>(out2.mutable_data_ptr()) : nullptr, sink.param,
        sink.flag};
    reduce_on_device(op, in, mask, out, out2);
  }
};

const ReduceKernel* moments_on_device(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Half:
      return &OnDeviceKernel<MomentsOp<c10::Half>>::kernel;
    case c10::ScalarType::BFloat16:
      return &OnDeviceKernel<MomentsOp<c10::BFloat16>>::kernel;
    case c10::ScalarType::Float:
      return &OnDeviceKernel<MomentsOp<float>>::kernel;
    case c10::ScalarType::Double:
      return &OnDeviceKernel<MomentsOp<double>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(moments_kernels, &moments_on_device)

} // namespace at::native
