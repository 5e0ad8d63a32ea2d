#pragma once

// Unsigned keys with the order of the values they stand for.

#include <c10/core/ScalarType.h>
#include <c10/macros/Macros.h>

#include <cstdint>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Integers: flips the sign bit. Floats, as bits: complements negative ones and sets the sign bit of
// the others; a negative zero first becomes a positive one, and every NaN becomes the largest key.
template <class Bits, bool is_signed>
struct IntegerKey {
  using Storage = Bits;
  static constexpr Bits kSign = is_signed ? Bits(Bits(1) << (sizeof(Bits) * 8 - 1)) : Bits(0);
  C10_HOST_DEVICE static Bits key(Bits x, Bits&) { return x ^ kSign; }
  C10_HOST_DEVICE static Bits value(Bits k) { return k ^ kSign; }
};

template <class Bits, Bits infinity>
struct FloatKey {
  using Storage = Bits;
  static constexpr Bits kSign = Bits(Bits(1) << (sizeof(Bits) * 8 - 1));
  C10_HOST_DEVICE static Bits key(Bits x, Bits& lossy) {
    const bool nan = static_cast<Bits>(x & Bits(~kSign)) > infinity;
    const bool negative_zero = x == kSign;
    lossy |= Bits(nan) | Bits(negative_zero);
    const Bits flip = x & kSign ? Bits(~Bits(0)) : kSign;
    const Bits ordered = negative_zero ? kSign : Bits(x ^ flip);
    return nan ? Bits(~Bits(0)) : ordered;
  }
  C10_HOST_DEVICE static Bits value(Bits k) { return k & kSign ? Bits(k ^ kSign) : Bits(~k); }
};

} // namespace CPU_CAPABILITY
} // namespace at::native
