#pragma once

// Extreme values, and their first positions. A NaN is more extreme than any number.

#include <ATen/native/cuda/ReduceTypes.cuh>

namespace at::native {

template <typename T, bool is_max>
C10_DEVICE inline bool more_extreme(T x, T than) {
  return (is_max ? x > than : x < than) || (x != x && than == than);
}

template <typename T, bool is_max>
constexpr T least_extreme() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) {
    return is_max ? -Limits::infinity() : Limits::infinity();
  } else {
    return is_max ? Limits::lowest() : Limits::max();
  }
}

template <typename In, bool is_max>
struct ExtremumOp {
  using in_t = In;
  using acc_t = device_order_t<In>;

  In* out;

  C10_DEVICE acc_t identity() const { return least_extreme<acc_t, is_max>(); }
  C10_DEVICE acc_t step(acc_t acc, In x, int64_t) const {
    return combine(acc, static_cast<acc_t>(x));
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    return more_extreme<acc_t, is_max>(b, a) ? b : a;
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t) const { out[at] = static_cast<In>(acc); }

  static void run(
      const ReduceSink&, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double) {
    reduce_on_device(ExtremumOp{static_cast<In*>(out.mutable_data_ptr())}, in, mask, out, out2);
  }
};

template <typename In, bool is_max>
struct ArgExtremumOp {
  using in_t = In;
  struct acc_t {
    device_order_t<In> value;
    int64_t index; // negative before the first element
  };

  In* values; // may be null
  int64_t* positions;
  bool positions_first; // they are the only output

  C10_DEVICE acc_t identity() const { return {device_order_t<In>(0), -1}; }
  C10_DEVICE acc_t step(acc_t acc, In x, int64_t i) const {
    return combine(acc, acc_t{static_cast<device_order_t<In>>(x), i});
  }
  C10_DEVICE acc_t combine(acc_t a, acc_t b) const {
    if (a.index < 0) return b;
    if (b.index < 0) return a;
    if (more_extreme<device_order_t<In>, is_max>(b.value, a.value)) return b;
    if (more_extreme<device_order_t<In>, is_max>(a.value, b.value)) return a;
    return b.index < a.index ? b : a;
  }
  C10_DEVICE void store(acc_t acc, int64_t at, int64_t at2) const {
    if (values != nullptr) values[at] = static_cast<In>(acc.value);
    positions[positions_first ? at : at2] = acc.index;
  }

  static void run(
      const ReduceSink& sink, const TensorBase& in, DimMask mask, const TensorBase& out,
      const TensorBase& out2, double) {
    ArgExtremumOp op{nullptr, nullptr, sink.kind == SinkKind::Position};
    if (op.positions_first) {
      op.positions = static_cast<int64_t*>(out.mutable_data_ptr());
    } else {
      op.values = static_cast<In*>(out.mutable_data_ptr());
      op.positions = static_cast<int64_t*>(out2.mutable_data_ptr());
    }
    reduce_on_device(op, in, mask, out, out2);
  }
};

template <template <typename, bool> typename Op, bool is_max>
const ReduceKernel* extremum_kernels(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &OnDeviceKernel<Op<uint8_t, is_max>>::kernel;
    case c10::ScalarType::Char:
      return &OnDeviceKernel<Op<int8_t, is_max>>::kernel;
    case c10::ScalarType::Short:
      return &OnDeviceKernel<Op<int16_t, is_max>>::kernel;
    case c10::ScalarType::Int:
      return &OnDeviceKernel<Op<int32_t, is_max>>::kernel;
    case c10::ScalarType::Long:
      return &OnDeviceKernel<Op<int64_t, is_max>>::kernel;
    case c10::ScalarType::Half:
      return &OnDeviceKernel<Op<c10::Half, is_max>>::kernel;
    case c10::ScalarType::BFloat16:
      return &OnDeviceKernel<Op<c10::BFloat16, is_max>>::kernel;
    case c10::ScalarType::Float:
      return &OnDeviceKernel<Op<float, is_max>>::kernel;
    case c10::ScalarType::Double:
      return &OnDeviceKernel<Op<double, is_max>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace at::native
