#include <ATen/native/cuda/ReduceTypes.cuh>

namespace at::native {
namespace {

// Counts the elements that have a bit of `mask` set, or those that do not; the mask excludes the
// sign of a float.
template <typename Bits>
struct NonzeroOp {
  using in_t = Bits;
  using acc_t = int64_t;

  void* out;
  Bits mask;
  bool zeros;
  bool truth;  // store a bool
  bool negate; // of the bool

  C10_DEVICE acc_t identity() const { return 0; }
  C10_DEVICE acc_t step(acc_t acc, Bits x, int64_t) const {
    return acc + (((x & mask) != 0) != zeros ? 1 : 0);
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const { return a + b; }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t) const {
    if (truth) {
      static_cast<bool*>(out)[at] = (acc > 0) != negate;
    } else {
      static_cast<int64_t*>(out)[at] = acc;
    }
  }
};

template <typename Bits, Bits mask>
struct NonzeroRunner {
  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask dims, const TensorBase& out,
      const TensorBase& out2, double mode) {
    const NonzeroOp<Bits> op{
        out.mutable_data_ptr(), mask, mode == kAnyZero, sink.kind == SinkKind::Truth, sink.flag};
    reduce_on_device(op, in, dims, out, out2);
  }
};

template <typename Real>
struct ComplexNonzeroOp : NonzeroOp<uint8_t> {
  using in_t = c10::complex<Real>;
  C10_DEVICE acc_t step(acc_t acc, in_t x, int64_t) const {
    const bool nonzero = x.real() != Real(0) || x.imag() != Real(0);
    return acc + (nonzero != zeros ? 1 : 0);
  }
  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask dims, const TensorBase& out,
      const TensorBase& out2, double mode) {
    const ComplexNonzeroOp op{
        {out.mutable_data_ptr(), 0, mode == kAnyZero, sink.kind == SinkKind::Truth, sink.flag}};
    reduce_on_device(op, in, dims, out, out2);
  }
};

const ReduceKernel* nonzero_on_device(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
    case c10::ScalarType::Char:
      return &OnDeviceKernel<NonzeroRunner<uint8_t, 0xff>>::kernel;
    case c10::ScalarType::Short:
    case c10::ScalarType::UInt16:
      return &OnDeviceKernel<NonzeroRunner<uint16_t, 0xffff>>::kernel;
    case c10::ScalarType::Half:
    case c10::ScalarType::BFloat16:
      return &OnDeviceKernel<NonzeroRunner<uint16_t, 0x7fff>>::kernel;
    case c10::ScalarType::Int:
    case c10::ScalarType::UInt32:
      return &OnDeviceKernel<NonzeroRunner<uint32_t, 0xffffffff>>::kernel;
    case c10::ScalarType::Float:
      return &OnDeviceKernel<NonzeroRunner<uint32_t, 0x7fffffff>>::kernel;
    case c10::ScalarType::Long:
    case c10::ScalarType::UInt64:
      return &OnDeviceKernel<NonzeroRunner<uint64_t, ~uint64_t{0}>>::kernel;
    case c10::ScalarType::Double:
      return &OnDeviceKernel<NonzeroRunner<uint64_t, ~uint64_t{0} / 2>>::kernel;
    case c10::ScalarType::ComplexFloat:
      return &OnDeviceKernel<ComplexNonzeroOp<float>>::kernel;
    case c10::ScalarType::ComplexDouble:
      return &OnDeviceKernel<ComplexNonzeroOp<double>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(nonzero_kernels, &nonzero_on_device)

} // namespace at::native
