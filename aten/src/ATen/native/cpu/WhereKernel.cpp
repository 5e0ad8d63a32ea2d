// where.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Only moves bits, so one loop per element size is enough.
void where_kernel(TensorIteratorBase& iter) {
  struct Pair {
    uint64_t words[2];
  };
  const auto run = [&]<typename T>(T) {
    vec_kernel<T(bool, T, T)>(iter, [](auto condition, auto a, auto b) {
      using V = decltype(a);
      const auto mask = vec::convert_lanes<vec::int_like<T>>(condition);
      return mask != vec::mask_of<V>{} ? a : b;
    });
  };
  switch (iter.element_size(0)) {
    case 1:
      return run(uint8_t());
    case 2:
      return run(uint16_t());
    case 4:
      return run(uint32_t());
    case 8:
      return run(uint64_t());
    default:
      return cpu_kernel(
          iter, [](bool condition, Pair a, Pair b) -> Pair { return condition ? a : b; });
  }
}

} // namespace

REGISTER_DISPATCH(where_stub, &where_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
