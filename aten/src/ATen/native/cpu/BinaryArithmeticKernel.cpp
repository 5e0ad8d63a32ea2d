// mul: numbers beside 16-bit floats are not rounded, and 8-bit floats have a loop of their own.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/Float8.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/NumberLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// A row by a number, as in outer products: the number stays in a register. In the loop for pairs it
// is read from memory, after the stores of the row before.
template <typename T>
void mul_rows(TensorIteratorBase& iter) {
  const auto product = [](auto a, auto b) { return a * b; };
  iter.for_each_row(
      [&product](char** data, const int64_t* strides, int64_t n) {
        if ((strides[1] == 0) == (strides[2] == 0)) {
          using Pairs = VecLoop<T(T, T), decltype(product)>;
          return Pairs::run(product, data, strides, n, std::make_index_sequence<2>());
        }
        const int number = strides[1] == 0 ? 1 : 2, row = 3 - number;
        const auto scaled = [factor = load_element<T>(data[number])](auto v) { return v * factor; };
        char* rows[] = {data[0], data[row]};
        const int64_t steps[] = {strides[0], strides[row]};
        VecLoop<T(T), decltype(scaled)>::run(scaled, rows, steps, n, std::make_index_sequence<1>());
      },
      at::internal::GRAIN_SIZE);
  iter.cast_outputs();
}

void mul_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (dtype == kBool) {
    vec_kernel<bool(bool, bool)>(iter, [](auto a, auto b) { return a & b; });
  } else if (c10::isComplexType(dtype)) {
    for_complex(dtype, "mul_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](c10::complex<T> a, c10::complex<T> b) -> c10::complex<T> {
        return narrow<T>(widen(a) * widen(b));
      });
    });
  } else if (c10::isFloat8Type(dtype)) {
    mul_float8(iter);
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "mul_cpu", [&]<typename T>(T) {
      if constexpr (sizeof(T) == 2) {
        vec_kernel_unrounded<T>(iter, [](auto a, auto b) { return a * b; });
      } else {
        mul_rows<T>(iter);
      }
    });
  } else if (c10::isOpaqueType(dtype)) {
    at::detail::dispatch_unsupported("mul_cpu", dtype);
  } else {
    for_integer_width(dtype, [&]<typename T>(T) {
      vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a * b; });
    });
  }
}

} // namespace

REGISTER_DISPATCH(mul_stub, &mul_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
