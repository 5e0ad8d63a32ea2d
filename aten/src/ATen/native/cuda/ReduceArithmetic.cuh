#pragma once

// Sums and products; each has its own file.

#include <ATen/native/cuda/ReduceTypes.cuh>

namespace at::native {

template <typename In, bool is_sum>
struct ArithmeticOp {
  using in_t = In;
  using acc_t = device_acc_t<In>;

  void* out;
  c10::ScalarType dtype; // of the output; an integer's is that of the input, int64 or bool
  double divisor;        // of a mean; otherwise zero

  C10_DEVICE acc_t identity() const { return acc_t(is_sum ? 0 : 1); }
  C10_DEVICE acc_t step(acc_t acc, In x, int64_t) const {
    return combine(acc, static_cast<acc_t>(x));
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    if constexpr (is_sum) {
      return a + b;
    } else {
      return a * b;
    }
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t) const {
    if constexpr (std::is_integral_v<In>) {
      if (dtype == c10::ScalarType::Long) {
        static_cast<int64_t*>(out)[at] = acc;
      } else if (dtype == c10::ScalarType::Bool) {
        static_cast<bool*>(out)[at] = acc != 0;
      } else {
        static_cast<In*>(out)[at] = static_cast<In>(acc);
      }
    } else {
      if (divisor != 0) {
        if constexpr (c10::is_complex<acc_t>::value) {
          acc /= static_cast<typename acc_t::value_type>(divisor);
        } else {
          acc /= static_cast<acc_t>(divisor);
        }
      }
      static_cast<In*>(out)[at] = static_cast<In>(acc);
    }
  }

  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double) {
    const ArithmeticOp op{out.mutable_data_ptr(), sink.dtype, sink.flag ? sink.param : 0};
    if (sink.flag && sink.param == 0) {
      // The mean of nothing: 0 / 0.
      return reduce_on_device(
          ArithmeticOp{op.out, op.dtype, std::numeric_limits<double>::quiet_NaN()}, in, mask, out,
          out2);
    }
    reduce_on_device(op, in, mask, out, out2);
  }
};

template <bool is_sum>
const ReduceKernel* arithmetic_kernels(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &OnDeviceKernel<ArithmeticOp<uint8_t, is_sum>>::kernel;
    case c10::ScalarType::Char:
      return &OnDeviceKernel<ArithmeticOp<int8_t, is_sum>>::kernel;
    case c10::ScalarType::Short:
      return &OnDeviceKernel<ArithmeticOp<int16_t, is_sum>>::kernel;
    case c10::ScalarType::Int:
      return &OnDeviceKernel<ArithmeticOp<int32_t, is_sum>>::kernel;
    case c10::ScalarType::Long:
      return &OnDeviceKernel<ArithmeticOp<int64_t, is_sum>>::kernel;
    case c10::ScalarType::Half:
      return &OnDeviceKernel<ArithmeticOp<c10::Half, is_sum>>::kernel;
    case c10::ScalarType::BFloat16:
      return &OnDeviceKernel<ArithmeticOp<c10::BFloat16, is_sum>>::kernel;
    case c10::ScalarType::Float:
      return &OnDeviceKernel<ArithmeticOp<float, is_sum>>::kernel;
    case c10::ScalarType::Double:
      return &OnDeviceKernel<ArithmeticOp<double, is_sum>>::kernel;
    case c10::ScalarType::ComplexFloat:
      return &OnDeviceKernel<ArithmeticOp<c10::complex<float>, is_sum>>::kernel;
    case c10::ScalarType::ComplexDouble:
      return &OnDeviceKernel<ArithmeticOp<c10::complex<double>, is_sum>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace at::native
