#pragma once

// What the formulas of this folder are made of. A formula is a function template in
// at::native::ufunc that native_functions.yaml names under `ufunc_inner_loop`. Three kinds of loops
// call it: on vectors (in files compiled once per CPU capability), on single elements, and on the
// elements of a CUDA thread. So it uses operators, `condition ? a : b` and the functions in `math`,
// which exist for numbers and for vectors, instead of branches.

#include <ATen/native/MathType.h>
#include <c10/core/Scalar.h>
#include <c10/macros/Macros.h>

#if defined(CPU_CAPABILITY)
#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_round.h>
#endif

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

// Always inlined: a copy that was compiled for AVX2 must not be shared with code for older
// machines.
#define AT_UFUNC C10_HOST_DEVICE C10_ALWAYS_INLINE

namespace at::native::ufunc {

// ---- types

template <typename T>
struct LaneOf {
  using type = T;
};
template <typename T>
requires requires(T& lanes) {
  lanes[0];
}
struct LaneOf<T> {
  using type = std::remove_cvref_t<decltype(std::declval<T&>()[0])>;
};
// The type of a vector's lanes; any other type itself.
template <typename T>
using number_in = typename LaneOf<T>::type;

// For sums and products, which must wrap: a formula that requires `!is_signed_integer<T>` gets
// signed integers as unsigned ones.
template <typename T>
constexpr bool is_signed_integer =
    std::is_integral_v<number_in<T>>&& std::is_signed_v<number_in<T>>;

// ---- functions of numbers and vectors

namespace math {

using std::abs;
using std::copysign;
using std::exp;
using std::log1p;
using std::sqrt;
using std::trunc;
#if defined(CPU_CAPABILITY)
using at::vec::abs;
using at::vec::exp;
using at::vec::log1p;
using at::vec::sqrt;
using at::vec::trunc;
template <typename V>
AT_UFUNC V copysign(V size, V sign) {
  return at::vec::with_sign(at::vec::abs(size), sign);
}
#endif

// sum + value * factor, rounded once where the machine has such an instruction.
template <typename T, typename Factor>
AT_UFUNC T multiply_add(T value, Factor factor, T sum) {
#if defined(CPU_CAPABILITY)
  if constexpr (std::is_floating_point_v<number_in<T>> && std::is_arithmetic_v<Factor>) {
    return at::vec::fma(value, at::vec::splat<T>(factor), sum);
  }
#endif
  return sum + value * factor;
}

template <size_t Bytes>
struct BitsOfSize;
template <>
struct BitsOfSize<2> {
  using type = uint16_t;
};
template <>
struct BitsOfSize<4> {
  using type = uint32_t;
};
template <>
struct BitsOfSize<8> {
  using type = uint64_t;
};
template <typename T>
struct Bits : BitsOfSize<sizeof(T)> {};
#if defined(CPU_CAPABILITY)
template <typename T>
requires(!std::is_same_v<T, number_in<T>>) struct Bits<T> {
  using type = at::vec::bits_of<T>;
};
#endif

// The bits of floating-point numbers as unsigned integers, and back.
template <typename T>
AT_UFUNC auto bits(T value) {
  typename Bits<T>::type result;
  std::memcpy(&result, &value, sizeof(value));
  return result;
}
template <typename T, typename B>
AT_UFUNC T from_bits(B bits) {
  T result;
  std::memcpy(&result, &bits, sizeof(bits));
  return result;
}

} // namespace math

// ---- how loops over elements call formulas

namespace detail {
template <typename T, size_t>
using Repeated = T;

template <typename Formula, typename T, size_t... I>
constexpr bool accepts(std::index_sequence<I...>) {
  return std::is_invocable_v<Formula, Repeated<T, I>...>;
}

// Products of 16-bit numbers overflow the type int that they are promoted to, so 32 bits at least.
template <typename T, bool wraps>
struct ComputeType : MathType<T> {};
template <typename T>
struct ComputeType<T, true> {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
} // namespace detail

// The type in which a formula of `inputs` tensors and numbers computes elements T.
template <typename T, typename Formula, size_t inputs>
using compute_type = typename detail::ComputeType<
    T,
    is_signed_integer<T> && !detail::accepts<Formula, T>(std::make_index_sequence<inputs>())>::type;

// A number that stays constant in the loop, as an operand of elements.
template <typename T>
T number(const c10::Scalar& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(value.to<int64_t>());
  } else {
    return value.to<T>();
  }
}

} // namespace at::native::ufunc
