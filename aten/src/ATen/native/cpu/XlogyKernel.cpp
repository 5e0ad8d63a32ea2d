#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// x log(y): 0 where x is 0, unless y is NaN.
void xlogy_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "xlogy_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto x, auto y) {
      const decltype(x) zero{};
      return ((x == zero) & (y == y)) ? zero : x * vec::log(y);
    });
  });
}

} // namespace

REGISTER_DISPATCH(xlogy_stub, &xlogy_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
