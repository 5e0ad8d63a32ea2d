#pragma once

// The loops of generated kernels, UfuncCPUKernel_*.cpp, around a formula of ATen/native/ufunc.
//   vector_loop<scalar_t, 2>(iter, add_formula(), alpha);
//     calls the formula with vectors for the two tensors, and with the number
//   element_loop<scalar_t, compute_type<scalar_t, add_formula, 3>, 2>(iter, add_formula(), alpha);
//     calls it with single elements, converted to the second type

#include <ATen/Dispatch.h>
#include <ATen/ScalarValue.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {
inline namespace CPU_CAPABILITY {

// ---- factors: numbers by which formulas multiply vectors, such as alpha

struct One {};
template <typename V>
C10_ALWAYS_INLINE V operator*(V value, One) {
  return value;
}
struct MinusOne {};
template <typename V>
C10_ALWAYS_INLINE V operator*(V value, MinusOne) {
  return -value;
}

// A number as an operand of vectors of T.
template <typename T>
auto lane_number(const Scalar& value) {
  return static_cast<at::vec::lane_type<T>>(number<T>(value));
}

// Calls `loop` with the factor. 1 and -1 have loops of their own where multiplication costs time,
// that of integers.
template <typename T, typename Loop>
void with_factor(const Scalar& value, const Loop& loop) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const auto factor = value.to<int64_t>();
    if (factor == 1) {
      loop(One());
    } else if (factor == -1) {
      loop(MinusOne());
    } else {
      loop(static_cast<std::make_unsigned_t<T>>(factor));
    }
  } else {
    loop(lane_number<T>(value));
  }
}

// ---- loops

template <typename T, typename Formula, typename... Numbers, size_t... I>
void over_vectors(
    TensorIteratorBase& iter, Formula formula, std::index_sequence<I...> tensors,
    Numbers... numbers) {
  using Lanes = at::vec::Lanes<at::vec::lane_type<T>, at::vec::kVectorBytes / sizeof(T)>;
  if constexpr (is_signed_integer<T> && !requires(Lanes lanes) {
                  formula(((void)I, lanes)..., numbers...);
                }) {
    over_vectors<std::make_unsigned_t<T>>(iter, formula, tensors, numbers...);
  } else {
    vec_kernel<T(detail::Repeated<T, I>...)>(
        iter, [formula, numbers...](auto... lanes) { return formula(lanes..., numbers...); });
  }
}

template <typename T, typename Compute, typename Formula, typename... Numbers, size_t... I>
void over_elements(
    TensorIteratorBase& iter, Formula formula, std::index_sequence<I...>, Numbers... numbers) {
  cpu_kernel(iter, [formula, numbers...](detail::Repeated<T, I>... elements) -> T {
    return convert_element<T>(formula(convert_element<Compute>(elements)..., numbers...));
  });
}

template <typename T, size_t tensors, typename Formula, typename... Numbers>
void vector_loop(TensorIteratorBase& iter, Formula formula, Numbers... numbers) {
  over_vectors<T>(iter, formula, std::make_index_sequence<tensors>(), numbers...);
}

template <typename T, typename Compute, size_t tensors, typename Formula, typename... Numbers>
void element_loop(TensorIteratorBase& iter, Formula formula, Numbers... numbers) {
  over_elements<T, Compute>(iter, formula, std::make_index_sequence<tensors>(), numbers...);
}

} // namespace CPU_CAPABILITY
} // namespace at::native::ufunc
