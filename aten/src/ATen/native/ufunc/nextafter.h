#pragma once

#include <ATen/native/ufunc/Formula.h>

namespace at::native::ufunc {

// The neighbor of a number in its own type. Of one sign, numbers are ordered as their bits are.
template <typename T>
AT_UFUNC T nextafter(T self, T other) {
  const T zero{};
  const auto from = math::bits(self);
  using Bits = std::remove_const_t<decltype(from)>;
  using Word = number_in<Bits>;
  constexpr auto kSign = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1));
  const auto outward = (self < other) == (self > zero);
  const auto neighbor = static_cast<Bits>(outward ? from + Word(1) : from - Word(1));
  const auto smallest = static_cast<Bits>((math::bits(other) & kSign) | Word(1));
  const T next = self == zero ? math::from_bits<T>(smallest) : math::from_bits<T>(neighbor);
  const T known = (self == self) & (other == other) ? next : self + other;
  return self == other ? other : known;
}

// In the dtype itself, also of the 16-bit floats.
template <typename scalar_t>
struct CUDAFunctor_nextafter {
  C10_HOST_DEVICE scalar_t operator()(scalar_t self, scalar_t other) const {
    return nextafter(self, other);
  }
};

} // namespace at::native::ufunc
