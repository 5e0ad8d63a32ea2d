// glu: one half of a tensor, gated with the logistic function of the other.

#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/Logistic.h>
#include <ATen/native/cpu/Loops.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void glu_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "glu_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a * logistic(b); });
  });
}

// Loads up to a register of elements that are `stride` bytes apart.
template <typename T>
Lanes<vec::lane_type<T>> read(const char* from, int64_t stride, int64_t count) {
  using Lane = vec::lane_type<T>;
  if (stride == static_cast<int64_t>(sizeof(T))) {
    return load_up_to<Lane>(reinterpret_cast<const T*>(from), count, Lane(0));
  }
  alignas(64) T adjacent[kLanes<Lane>] = {};
  for (int64_t i = 0; i < std::min<int64_t>(count, kLanes<Lane>); ++i) {
    std::memcpy(adjacent + i, from + i * stride, sizeof(T));
  }
  return load_lanes<Lane>(adjacent);
}

template <typename T>
void write(char* to, int64_t stride, int64_t count, Lanes<vec::lane_type<T>> value) {
  using Lane = vec::lane_type<T>;
  if (stride == static_cast<int64_t>(sizeof(T))) {
    return save_up_to<T, Lane>(reinterpret_cast<T*>(to), value, count);
  }
  alignas(64) T adjacent[kLanes<Lane>];
  save_lanes<T, Lane>(adjacent, value);
  for (int64_t i = 0; i < std::min<int64_t>(count, kLanes<Lane>); ++i) {
    std::memcpy(to + i * stride, adjacent + i, sizeof(T));
  }
}

// For a s(b): d/da = s, d/db = a s (1 - s).
template <typename T>
void glu_backward_row(char** data, const int64_t* strides, int64_t n) {
  using Lane = vec::lane_type<T>;
  for (int64_t i = 0; i < n; i += kLanes<Lane>) {
    const auto operand = [&](int k) {
      return read<T>(data[k] + i * strides[k], strides[k], n - i);
    };
    const auto g = operand(2), a = operand(3), s = logistic(operand(4));
    const auto grad_a = g * s;
    write<T>(data[0] + i * strides[0], strides[0], n - i, grad_a);
    write<T>(data[1] + i * strides[1], strides[1], n - i, grad_a * a * (Lane(1) - s));
  }
}

void glu_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "glu_backward_cpu", [&]<typename T>(T) {
    iter.for_each_row(
        [](char** data, const int64_t* strides, int64_t n) {
          glu_backward_row<T>(data, strides, n);
        },
        at::internal::GRAIN_SIZE);
  });
}

} // namespace

REGISTER_DISPATCH(glu_stub, &glu_kernel)
REGISTER_DISPATCH(glu_backward_stub, &glu_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
