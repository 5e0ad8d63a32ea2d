// maximum and minimum. If either argument is NaN, the result is NaN.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <bool kGreatest>
void extremum(TensorIteratorBase& iter, const char* name) {
  const auto dtype = iter.common_dtype();
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, name, [&]<typename T>(T) {
      vec_kernel<T(T, T)>(iter, [](auto a, auto b) {
        const auto chosen = kGreatest ? (a < b ? b : a) : (b < a ? b : a);
        return b == b ? chosen : b;
      });
    });
    return;
  }
  const auto run = [&]<typename T>(T) {
    vec_kernel<T(T, T)>(
        iter, [](auto a, auto b) { return kGreatest ? (a > b ? a : b) : (a < b ? a : b); });
  };
  if (dtype == kBool) {
    run(uint8_t());
  } else {
    for_integer(dtype, name, run);
  }
}

void maximum_kernel(TensorIteratorBase& iter) {
  extremum<true>(iter, "maximum_cpu");
}
void minimum_kernel(TensorIteratorBase& iter) {
  extremum<false>(iter, "minimum_cpu");
}

} // namespace

REGISTER_DISPATCH(maximum_stub, &maximum_kernel)
REGISTER_DISPATCH(minimum_stub, &minimum_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
