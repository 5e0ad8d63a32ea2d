#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/Loss.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <atomic>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Logarithms are clamped at -100, so that a confident wrong prediction has a finite loss.
template <typename V>
C10_ALWAYS_INLINE V bounded(V log) {
  return log < vec::element_of<V>(-100) ? V{} - vec::element_of<V>(100) : log;
}

bool binary_cross_entropy_kernel(TensorIteratorBase& iter) {
  std::atomic<bool> outside{false};
  for_floating(iter.common_dtype(), "binary_cross_entropy", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [&outside](auto x, auto t) {
      using E = vec::element_of<decltype(x)>;
      if (vec::any_lane((x < E(0)) | (x > E(1)) | (x != x))) {
        outside.store(true, std::memory_order_relaxed);
      }
      return (t - E(1)) * bounded(vec::log1p(-x)) - t * bounded(vec::log(x));
    });
  });
  return !outside;
}

// (x - t) / (x (1 - x)) / count, with the divisor clamped at 1e-12.
void binary_cross_entropy_backward_kernel(TensorIteratorBase& iter, double count) {
  for_floating(iter.common_dtype(), "binary_cross_entropy_backward", [&]<typename T>(T) {
    const auto n = static_cast<vec::lane_type<T>>(count);
    vec_kernel<T(T, T, T)>(iter, [n](auto g, auto x, auto t) {
      using E = vec::element_of<decltype(x)>;
      const auto spread = (E(1) - x) * x;
      const auto divisor = spread < E(1e-12) ? decltype(x){} + E(1e-12) : spread;
      return g * (x - t) / divisor / n;
    });
  });
}

// max(z, 0) - z t + log(1 + e^-|z|)
void binary_cross_entropy_logits_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "binary_cross_entropy_with_logits", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto z, auto t) {
      const decltype(z) zero{};
      return (z > zero ? z : zero) - z * t + vec::log1p(vec::exp(-vec::abs(z)));
    });
  });
}

} // namespace

REGISTER_DISPATCH(binary_cross_entropy_stub, &binary_cross_entropy_kernel)
REGISTER_DISPATCH(binary_cross_entropy_backward_stub, &binary_cross_entropy_backward_kernel)
REGISTER_DISPATCH(binary_cross_entropy_logits_stub, &binary_cross_entropy_logits_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
