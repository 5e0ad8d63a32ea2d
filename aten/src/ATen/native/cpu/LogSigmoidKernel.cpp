// log_sigmoid.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/Activation.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/Loops.h>

#include <ATen/Parallel.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// min(x, 0) - log(1 + e^-|x|)
template <class T>
void log_sigmoid_range(const T* x, T* y, T* buffer, int64_t n) {
  using Lane = wide_lane_t<T>;
  using V = Lanes<Lane>;
  const V zero{};
  for (int64_t i = 0; i < n; i += kLanes<Lane>) {
    const V value = load_up_to<Lane>(x + i, n - i, Lane(0));
    const V e = vec::exp(-vec::abs(value));
    save_up_to<T, Lane>(y + i, (value < zero ? value : zero) - vec::log1p(e), n - i);
    save_up_to<T, Lane>(buffer + i, e, n - i);
  }
}

template <class T>
bool log_sigmoid_all(const void* in, void* out, void* buffer, int64_t n) {
  at::parallel_for(0, n, at::internal::GRAIN_SIZE / 4, [&](int64_t begin, int64_t end) {
    log_sigmoid_range(
        static_cast<const T*>(in) + begin, static_cast<T*>(out) + begin,
        static_cast<T*>(buffer) + begin, end - begin);
  });
  return true;
}

bool log_sigmoid_kernel(c10::ScalarType dtype, const void* in, void* out, void* buffer, int64_t n) {
  switch (dtype) {
    case kFloat:
      return log_sigmoid_all<float>(in, out, buffer, n);
    case kDouble:
      return log_sigmoid_all<double>(in, out, buffer, n);
    case kHalf:
      return log_sigmoid_all<c10::Half>(in, out, buffer, n);
    case kBFloat16:
      return log_sigmoid_all<c10::BFloat16>(in, out, buffer, n);
    default:
      return false;
  }
}

// 1 - s(x) is e / (1 + e) above 0 and 1 / (1 + e) below.
void log_sigmoid_backward_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "log_sigmoid_backward_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T, T)>(iter, [](auto g, auto x, auto e) {
      using E = vec::element_of<decltype(x)>;
      const auto one = decltype(x){} + E(1);
      return g * (x < decltype(x){} ? one : e) / (one + e);
    });
  });
}

} // namespace

REGISTER_DISPATCH(log_sigmoid_stub, &log_sigmoid_kernel)
REGISTER_DISPATCH(log_sigmoid_backward_stub, &log_sigmoid_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
