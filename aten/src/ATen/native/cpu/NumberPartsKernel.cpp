// angle of real numbers, and frexp.

#include <ATen/native/NumberParts.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void angle_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "angle", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return angle_of_real(x); });
  });
}

TensorIterator from_numbers(const TensorBase& result, const TensorBase& self) {
  return TensorIteratorConfig()
      .check_all_same_dtype(false)
      .add_output(result)
      .add_const_input(self)
      .build();
}

void frexp_kernel(const TensorBase& self, const TensorBase& mantissa, const TensorBase& exponent) {
  for_floating(self.scalar_type(), "frexp_cpu", [&]<typename T>(T) {
    auto fractions = from_numbers(mantissa, self);
    vec_kernel<T(T)>(fractions, [](auto x) { return mantissa_and_exponent(x).mantissa; });
    auto powers = from_numbers(exponent, self);
    vec_kernel<int32_t(T)>(powers, [](auto x) {
      using Powers = vec::Lanes<int32_t, sizeof(x) / sizeof(x[0])>;
      return __builtin_convertvector(mantissa_and_exponent(x).exponent, Powers);
    });
  });
}

} // namespace

REGISTER_DISPATCH(angle_stub, &angle_kernel)
REGISTER_DISPATCH(frexp_stub, &frexp_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
