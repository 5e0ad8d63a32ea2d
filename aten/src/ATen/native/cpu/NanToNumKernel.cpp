#include <ATen/native/ElementaryMath.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void nan_to_num_kernel(TensorIteratorBase& iter, double nan, double above, double below) {
  for_floating(iter.common_dtype(), "nan_to_num", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [=](auto x) {
      using V = decltype(x);
      using E = vec::element_of<V>;
      constexpr E kInfinity = std::numeric_limits<E>::infinity();
      const V finite = x == kInfinity ? vec::splat<V>(E(above))
          : x == -kInfinity           ? vec::splat<V>(E(below))
                                      : x;
      return x == x ? finite : vec::splat<V>(E(nan));
    });
  });
}

} // namespace

REGISTER_DISPATCH(nan_to_num_stub, &nan_to_num_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
