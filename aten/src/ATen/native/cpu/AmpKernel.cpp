#include <ATen/native/AmpOps.h>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>

#include <atomic>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// v - v is 0 for finite numbers only. The loop has no branch, so that it is vectorized.
template <typename T, typename E>
bool unscale(T* data, int64_t count, E factor) {
  int overflows = 0;
  for (int64_t i = 0; i < count; ++i) {
    const E value = static_cast<E>(data[i]);
    overflows |= !(value - value == E(0));
    data[i] = static_cast<T>(value * factor);
  }
  return overflows != 0;
}

bool unscale_kernel(void* data, int64_t count, ScalarType dtype, float factor) {
  std::atomic<bool> overflowed{false};
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, dtype, "_amp_unscale", [&] {
    using E = at::opmath_type<scalar_t>;
    at::parallel_for(0, count, internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
      if (unscale(static_cast<scalar_t*>(data) + begin, end - begin, static_cast<E>(factor))) {
        overflowed.store(true, std::memory_order_relaxed);
      }
    });
  });
  return overflowed;
}

} // namespace

REGISTER_DISPATCH(amp_unscale_stub, &unscale_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
