// floor, ceil, trunc and round for floating dtypes.

#include <ATen/cpu/vec/vec_round.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename Op>
void rounding(TensorIteratorBase& iter, const char* name, const Op& op) {
  for_floating(iter.common_dtype(), name, [&]<typename T>(T) { vec_kernel<T(T)>(iter, op); });
}

void floor_kernel(TensorIteratorBase& iter) {
  rounding(iter, "floor_vml_cpu", [](auto x) { return vec::floor(x); });
}
void ceil_kernel(TensorIteratorBase& iter) {
  rounding(iter, "ceil_vml_cpu", [](auto x) { return vec::ceil(x); });
}
void trunc_kernel(TensorIteratorBase& iter) {
  rounding(iter, "trunc_vml_cpu", [](auto x) { return vec::trunc(x); });
}
void round_kernel(TensorIteratorBase& iter) {
  rounding(iter, "round_vml_cpu", [](auto x) { return vec::round(x); });
}

// A negative number of decimals rounds to tens, hundreds, ...
void round_decimals_kernel(TensorIteratorBase& iter, int64_t decimals) {
  const double power = std::pow(10.0, static_cast<double>(decimals < 0 ? -decimals : decimals));
  const bool left = decimals < 0;
  rounding(iter, "round_cpu", [power, left](auto x) {
    const auto scale = vec::splat<decltype(x)>(power);
    const auto scaled = vec::round(left ? x / scale : x * scale);
    return left ? scaled * scale : scaled / scale;
  });
}

} // namespace

REGISTER_DISPATCH(floor_stub, &floor_kernel)
REGISTER_DISPATCH(ceil_stub, &ceil_kernel)
REGISTER_DISPATCH(trunc_stub, &trunc_kernel)
REGISTER_DISPATCH(round_stub, &round_kernel)
REGISTER_DISPATCH(round_decimals_stub, &round_decimals_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
