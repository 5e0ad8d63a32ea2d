#pragma once

// The conversion of the sums of a product of bytes to bytes with a scale and a zero point.

#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/cpu/ByteLanes.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The parameters of one register of columns.
struct ByteColumns {
  Integers offsets, points;
  Numbers factors, biases;

  // `load` reads a register of an array.
  template <class Load>
  ByteColumns(const ByteConversion& from, const Load& load)
      : offsets(load(from.offsets)),
        points(from.points == nullptr ? Integers{} : load(from.points)),
        factors(load(from.factors)),
        biases(load(from.biases)) {}

  Integers nearest_integers(Integers sums, float high) const {
    const Numbers scaled = (at::vec::convert_lanes<float>(sums) + biases) * factors;
    return nearest(lesser(splat(high), scaled));
  }

  // The results in float32, at least `low`.
  Numbers numbers(Integers sums, Numbers low) const {
    const Numbers result = rounded_once(at::vec::convert_lanes<float>(sums), factors, biases);
    return result < low ? low : result;
  }
};

template <ByteOrder kOrder>
Bytes converted_bytes(
    const Integers (&integers)[kRegistersOfBytes], const ByteConversion& conversion) {
  const Bytes bytes = saturated_bytes<kOrder>(integers, conversion.zero_point);
  const Bytes least = splat(conversion.least);
  return bytes > least ? bytes : least;
}

} // namespace CPU_CAPABILITY
} // namespace at::native
