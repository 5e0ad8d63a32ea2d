// Logical and bitwise operators, and shifts.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename Op>
void bitwise(TensorIteratorBase& iter, const char* name, const Op& op) {
  const auto dtype = iter.common_dtype();
  if (!c10::isIntegralType(dtype, true)) {
    at::detail::dispatch_unsupported(name, dtype);
  }
  for_integer_width(dtype, [&]<typename T>(T) { vec_kernel<T(T, T)>(iter, op); });
}

void bitwise_and_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_and_cpu", [](auto a, auto b) { return a & b; });
}
void bitwise_or_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_or_cpu", [](auto a, auto b) { return a | b; });
}
void bitwise_xor_kernel(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_xor_cpu", [](auto a, auto b) { return a ^ b; });
}

// Shifting by the width or more leaves what remains: zeros, or copies of the sign. Vectors of
// signed numbers shift copies of the sign in.
template <bool left>
void shift(TensorIteratorBase& iter, const char* name) {
  for_integer(iter.common_dtype(), name, [&]<typename T>(T) {
    using Bits = vec::lane_type<std::make_unsigned_t<T>>;
    constexpr auto kWidth = static_cast<Bits>(8 * sizeof(T));
    vec_kernel<T(T, T)>(iter, [](auto x, auto by) {
      const auto bits = reinterpret_cast<vec::Lanes<Bits, sizeof(x) / sizeof(T)>>(by);
      const auto inside = bits < kWidth;
      if constexpr (left) {
        return inside ? x << (by & T(kWidth - 1)) : decltype(x){};
      } else if constexpr (std::is_signed_v<T>) {
        return x >> (inside ? by : decltype(x){} + T(kWidth - 1));
      } else {
        return inside ? x >> (by & T(kWidth - 1)) : decltype(x){};
      }
    });
  });
}

void left_shift_kernel(TensorIteratorBase& iter) {
  shift<true>(iter, "lshift_cpu");
}
void right_shift_kernel(TensorIteratorBase& iter) {
  shift<false>(iter, "rshift_cpu");
}

// The results, 0 or 1, when both arguments are true and when exactly one is: one loop for all three
// operators.
struct TruthTable {
  uint8_t both, one;
};

void logical(TensorIteratorBase& iter, const char* name, TruthTable table) {
  const auto dtype = iter.common_dtype();
  check_not_storage_dtype(dtype, name);
  const auto answer = [table](auto a, auto b) {
    return (a & b & table.both) | ((a ^ b) & table.one);
  };
  const auto run = [&]<typename T>(T) {
    vec_kernel<bool(T, T)>(iter, [answer](auto a, auto b) {
      return answer(vec::to_bool(a != decltype(a){}), vec::to_bool(b != decltype(b){}));
    });
  };
  if (dtype == kComplexHalf) {
    at::detail::dispatch_unsupported(name, dtype);
  } else if (c10::isComplexType(dtype)) {
    for_complex(dtype, name, [&]<typename T>(T) {
      cpu_kernel(iter, [answer](c10::complex<T> a, c10::complex<T> b) -> bool {
        return answer(uint8_t(bool(widen(a))), uint8_t(bool(widen(b)))) != 0;
      });
    });
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, name, run);
  } else {
    for_integer_width(dtype, run);
  }
}

void logical_and_kernel(TensorIteratorBase& iter) {
  logical(iter, "logical_and_cpu", {.both = 1, .one = 0});
}
void logical_or_kernel(TensorIteratorBase& iter) {
  logical(iter, "logical_or_cpu", {.both = 1, .one = 1});
}
void logical_xor_kernel(TensorIteratorBase& iter) {
  logical(iter, "logical_xor_cpu", {.both = 0, .one = 1});
}

} // namespace

REGISTER_DISPATCH(bitwise_and_stub, &bitwise_and_kernel)
REGISTER_DISPATCH(bitwise_or_stub, &bitwise_or_kernel)
REGISTER_DISPATCH(bitwise_xor_stub, &bitwise_xor_kernel)
REGISTER_DISPATCH(left_shift_stub, &left_shift_kernel)
REGISTER_DISPATCH(right_shift_stub, &right_shift_kernel)
REGISTER_DISPATCH(logical_and_stub, &logical_and_kernel)
REGISTER_DISPATCH(logical_or_stub, &logical_or_kernel)
REGISTER_DISPATCH(logical_xor_stub, &logical_xor_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
