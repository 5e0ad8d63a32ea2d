#include <ATen/cpu/vec/vec_round.h>
#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/cpu/Lanes.h>

#include <cmath>
#include <limits>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using Sums = Lanes<int32_t>;
using Numbers = Lanes<float>;
inline constexpr int kWide = kLanes<int32_t>;

// Rows that are multiplied at once: twice as many registers hold their sums.
#if defined(CPU_CAPABILITY_AVX512)
inline constexpr int kTileRows = 12;
#else
inline constexpr int kTileRows = 4;
#endif

// ---- four products of bytes in each lane --------------------------------------------------------

// A Dot adds to each lane the sum of four products. Products of two pairs of bytes can exceed the
// 16 bits of vpmaddubsw, which saturates; these are exact.

#if defined(CPU_CAPABILITY_AVX512)

// Written as assembly because VNNI is not part of the capability: it is asked for at run time.
struct VnniDot {
  using Factor = Sums;
  static Factor weights(Sums bytes) { return bytes; }
  static Factor inputs(Sums bytes) { return bytes; }
  static Sums add(Sums sum, Factor x, Factor w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w));
    return sum;
  }
};

#endif

#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)

// Multiplies even and odd bytes as 16-bit integers.
struct PairDot {
  using Halves = Lanes<int16_t>;
  struct Factor {
    Halves even, odd;
  };
  static Factor weights(Sums bytes) {
    const auto x = reinterpret_cast<Halves>(bytes);
    return {static_cast<Halves>(x << 8) >> 8, x >> 8};
  }
  static Factor inputs(Sums bytes) {
    const auto x = reinterpret_cast<Lanes<uint16_t>>(bytes);
    return {reinterpret_cast<Halves>(x & uint16_t(0xff)), reinterpret_cast<Halves>(x >> 8)};
  }
  static Sums products(Halves a, Halves b) {
#if defined(CPU_CAPABILITY_AVX512)
    return reinterpret_cast<Sums>(
        _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#else
    return reinterpret_cast<Sums>(
        _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#endif
  }
  static Sums add(Sums sum, const Factor& x, const Factor& w) {
    return sum + (products(x.even, w.even) + products(x.odd, w.odd));
  }
};

#else

// Any processor: one byte of each lane after the other.
struct LaneDot {
  struct Factor {
    Sums bytes[kByteTerms];
  };
  static Factor weights(Sums bytes) {
    return {{(bytes << 24) >> 24, (bytes << 16) >> 24, (bytes << 8) >> 24, bytes >> 24}};
  }
  static Factor inputs(Sums bytes) {
    return {{bytes & 255, (bytes >> 8) & 255, (bytes >> 16) & 255, (bytes >> 24) & 255}};
  }
  static Sums add(Sums sum, const Factor& x, const Factor& w) {
    for (int i = 0; i < kByteTerms; ++i) {
      sum += x.bytes[i] * w.bytes[i];
    }
    return sum;
  }
};

#endif

// a * b + c, rounded once: products are exact in double.
Numbers rounded_once(Numbers a, Numbers b, Numbers c) {
  if constexpr (at::vec::has_fma) {
    return at::vec::fma(a, b, c);
  } else {
    const auto wide = [](Numbers x) { return at::vec::convert_lanes<double>(x); };
    return at::vec::convert_lanes<float>(wide(a) * wide(b) + wide(c));
  }
}

// Lanes between 0 and 255 as bytes.
at::vec::Lanes<uint8_t, kWide> narrowed(Sums lanes) {
#if defined(CPU_CAPABILITY_AVX512)
  return reinterpret_cast<at::vec::Lanes<uint8_t, kWide>>(
      _mm512_maskz_cvtepi32_epi8(__mmask16(-1), reinterpret_cast<__m512i>(lanes)));
#else
  return at::vec::convert_lanes<uint8_t>(lanes);
#endif
}

int32_t terms_at(const uint8_t* p) {
  int32_t terms;
  std::memcpy(&terms, p, sizeof(terms));
  return terms;
}

// ---- the conversion of sums ---------------------------------------------------------------------

// The parameters of one register of columns.
struct Columns {
  const ByteConversion& conversion;
  Sums offsets, points;
  Numbers factors, biases;

  Columns(const ByteConversion& c, int64_t column)
      : conversion(c),
        offsets(load_lanes<int32_t>(c.offsets + column)),
        points(c.points == nullptr ? Sums{} : load_lanes<int32_t>(c.points + column)),
        factors(load_lanes<float>(c.factors + column)),
        biases(load_lanes<float>(c.biases + column)) {}

  Numbers numbers(Sums products, Sums input_sums) const {
    Sums sum = products + offsets;
    if (conversion.points != nullptr) {
      sum -= points * input_sums;
    }
    return at::vec::convert_lanes<float>(sum);
  }

  void save_bytes(uint8_t* to, Numbers number, int64_t count) const {
    const Numbers scaled = (number + biases) * factors;
    const Numbers low = splat<float>(conversion.low), high = splat<float>(conversion.high);
    const Numbers bounded = scaled > low ? (scaled < high ? scaled : high) : low;
    const Sums whole = at::vec::convert_lanes<int32_t>(at::vec::round(bounded));
    const auto bytes = narrowed(whole + conversion.zero_point);
    if (count >= kWide) {
      std::memcpy(to, &bytes, kWide);
    } else {
      std::memcpy(to, &bytes, count);
    }
  }

  void save_floats(float* to, Numbers number, int64_t count) const {
    const Numbers result = rounded_once(number, factors, biases);
    const Numbers low = splat<float>(conversion.low);
    save_up_to<float, float>(to, result < low ? low : result, count);
  }
};

// ---- the product --------------------------------------------------------------------------------

template <class Dot>
struct ByteProduct {
  const PackedBytes& weights;
  const ByteConversion& conversion;
  const ByteRows& rows;

  void save(const Columns& columns, Sums products, int64_t row, int64_t column) const {
    const Sums input_sums =
        conversion.points == nullptr ? Sums{} : splat<int32_t>(rows.row_sums[row]);
    const Numbers number = columns.numbers(products, input_sums);
    const int64_t count = weights.columns - column;
    const int64_t place = row * rows.out_pitch + column;
    if (conversion.to_bytes) {
      columns.save_bytes(static_cast<uint8_t*>(rows.out) + place, number, count);
    } else {
      columns.save_floats(static_cast<float*>(rows.out) + place, number, count);
    }
  }

  // `kRegisters` registers of columns from `column` on.
  template <int kRows, int kRegisters>
  void multiply(int64_t row, int64_t column) const {
    const int8_t* panel = weights.panels + column / kBytePanel * weights.panel_bytes() +
        column % kBytePanel * kByteTerms;
    const int64_t width = weights.depth / rows.taps;
    Sums sums[kRows][kRegisters] = {};
    for (int64_t tap = 0; tap < rows.taps; ++tap) {
      const uint8_t* x[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        x[r] = rows.pieces[(row + r) * rows.taps + tap] + rows.offset;
      }
      for (int64_t k = 0; k < width; k += kByteTerms, panel += kBytePanel * kByteTerms) {
        typename Dot::Factor w[kRegisters];
#pragma GCC unroll 2
        for (int j = 0; j < kRegisters; ++j) {
          w[j] = Dot::weights(at::vec::load<int32_t, kWide>(panel + j * at::vec::kVectorBytes));
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const auto factor = Dot::inputs(splat<int32_t>(terms_at(x[r] + k)));
#pragma GCC unroll 2
          for (int j = 0; j < kRegisters; ++j) {
            sums[r][j] = Dot::add(sums[r][j], factor, w[j]);
          }
        }
      }
    }
#pragma GCC unroll 2
    for (int j = 0; j < kRegisters; ++j) {
      const Columns columns(conversion, column + j * kWide);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        if (row + r < rows.count) {
          save(columns, sums[r][j], row + r, column + j * kWide);
        }
      }
    }
  }

  template <int kRows>
  void multiply_columns(int64_t row, int64_t first, int64_t end) const {
    int64_t column = first;
    for (; column + kWide < end; column += 2 * kWide) {
      multiply<kRows, 2>(row, column);
    }
    if (column < end) {
      multiply<kRows, 1>(row, column);
    }
  }

  void run(int64_t first, int64_t last) const {
    const int64_t start = first * kBytePanel;
    const int64_t end = std::min(last * kBytePanel, weights.columns);
    int64_t row = 0;
    for (int64_t left = rows.count; left > 0;) {
      if (left > 8 && kTileRows == 12) {
        multiply_columns<kTileRows>(row, start, end);
        row += kTileRows;
      } else if (left > 4 && kTileRows == 12) {
        multiply_columns<std::min(kTileRows, 8)>(row, start, end);
        row += 8;
      } else if (left > 1) {
        multiply_columns<4>(row, start, end);
        row += 4;
      } else {
        multiply_columns<1>(row, start, end);
        row += 1;
      }
      left = rows.count - row;
    }
  }
};

void byte_product(
    const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
    int64_t first, int64_t last) {
#if defined(CPU_CAPABILITY_AVX512)
  static const bool has_vnni = __builtin_cpu_supports("avx512vnni");
  if (has_vnni) {
    return ByteProduct<VnniDot>{weights, conversion, rows}.run(first, last);
  }
#endif
#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)
  ByteProduct<PairDot>{weights, conversion, rows}.run(first, last);
#else
  ByteProduct<LaneDot>{weights, conversion, rows}.run(first, last);
#endif
}

// ---- depthwise convolutions ---------------------------------------------------------------------

Sums widened(const uint8_t* bytes) {
#if defined(CPU_CAPABILITY_AVX512)
  return reinterpret_cast<Sums>(_mm512_maskz_cvtepu8_epi32(
      __mmask16(-1), _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
#elif defined(CPU_CAPABILITY_AVX2)
  return reinterpret_cast<Sums>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))));
#else
  return at::vec::convert_lanes<int32_t>(at::vec::load<uint8_t, kWide>(bytes));
#endif
}

Sums widened_up_to(const uint8_t* bytes, int64_t count) {
  if (count >= kWide) {
    return widened(bytes);
  }
  uint8_t whole[kWide] = {};
  std::memcpy(whole, bytes, count);
  return widened(whole);
}

// The sum of the products of the lower and of the upper 16 bits.
Sums pair_products(Sums x, Sums w) {
#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)
  return PairDot::products(
      reinterpret_cast<PairDot::Halves>(x), reinterpret_cast<PairDot::Halves>(w));
#else
  return ((x << 16) >> 16) * ((w << 16) >> 16) + (x >> 16) * (w >> 16);
#endif
}

// Two terms at a time, as the halves of a lane.
void byte_channel_product(
    const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
    int32_t zero_point) {
  const int64_t depth = weights.depth, pairs = (depth + 1) / 2;
  std::vector<int32_t> factors(pairs * kWide);
  for (int64_t column = 0; column < weights.columns; column += kWide) {
    const int8_t* const panel =
        weights.panels + column / kBytePanel * weights.panel_bytes() + column % kBytePanel;
    for (int64_t k = 0; k < depth; ++k) {
      for (int i = 0; i < kWide; ++i) {
        const int32_t w = panel[k * kBytePanel + i];
        int32_t& pair = factors[k / 2 * kWide + i];
        pair =
            k % 2 == 0 ? w & 0xffff : pair | static_cast<int32_t>(static_cast<uint32_t>(w) << 16);
      }
    }
    const int64_t count = weights.columns - column;
    const Columns columns(conversion, column);
    for (int64_t row = 0; row < rows.count; ++row) {
      const uint8_t* const* const pieces = rows.pieces + row * depth;
      Sums products = {}, inputs = {};
      for (int64_t k = 0; k < pairs; ++k) {
        const uint8_t* const first = pieces[2 * k];
        const uint8_t* const second = pieces[std::min(2 * k + 1, depth - 1)];
        const Sums x =
            widened_up_to(first + column, count) | (widened_up_to(second + column, count) << 16);
        products += pair_products(x, load_lanes<int32_t>(factors.data() + k * kWide));
      }
      if (conversion.points != nullptr) {
        for (int64_t k = 0; k < depth; ++k) {
          inputs += widened_up_to(pieces[k] + column, count) - zero_point;
        }
      }
      columns.save_bytes(
          static_cast<uint8_t*>(rows.out) + row * rows.out_pitch + column,
          columns.numbers(products, inputs), count);
    }
  }
}

// ---- numbers to bytes ---------------------------------------------------------------------------

void quantize_bytes(
    const float* from, int64_t count, float inverse_scale, int32_t zero_point, uint8_t* to) {
  const Numbers low = splat<float>(0), high = splat<float>(255);
  const auto quantized = [&](Numbers x) {
    const Numbers whole = at::vec::round(x * inverse_scale) + static_cast<float>(zero_point);
    const Numbers bounded = whole < high ? (whole > low ? whole : low) : high; // and NaN
    return narrowed(at::vec::convert_lanes<int32_t>(bounded));
  };
  int64_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    at::vec::store<uint8_t, kWide>(to + i, quantized(load_lanes<float>(from + i)));
  }
  if (i < count) {
    const auto bytes = quantized(load_up_to<float>(from + i, count - i, 0.0f));
    std::memcpy(to + i, &bytes, count - i);
  }
}

FloatRange float_range(const float* from, int64_t count) {
  constexpr int kChains = 4; // hide the latency of one
  Numbers low[kChains], high[kChains];
  std::fill_n(low, kChains, splat<float>(from[0]));
  std::fill_n(high, kChains, splat<float>(from[0]));
  const auto visit = [&](int chain, Numbers x) {
    low[chain] = -lane_max(-low[chain], -x);
    high[chain] = lane_max(high[chain], x);
  };
  int64_t i = 0;
  for (; i + kChains * kWide <= count; i += kChains * kWide) {
#pragma GCC unroll 4
    for (int chain = 0; chain < kChains; ++chain) {
      visit(chain, load_lanes<float>(from + i + chain * kWide));
    }
  }
  for (; i < count; i += kWide) {
    visit(0, load_up_to<float>(from + i, count - i, from[0]));
  }
  for (int chain = 1; chain < kChains; ++chain) {
    low[0] = -lane_max(-low[0], -low[chain]);
    high[0] = lane_max(high[0], high[chain]);
  }
  const auto least = [](float a, float b) { return a < b || a != a ? a : b; };
  const auto greatest = [](float a, float b) { return a > b || a != a ? a : b; };
  return {fold_lanes<float>(low[0], least), fold_lanes<float>(high[0], greatest)};
}

} // namespace

REGISTER_DISPATCH(byte_product_stub, &byte_product)
REGISTER_DISPATCH(byte_channel_product_stub, &byte_channel_product)
REGISTER_DISPATCH(quantize_bytes_stub, &quantize_bytes)
REGISTER_DISPATCH(float_range_stub, &float_range)

} // namespace CPU_CAPABILITY
} // namespace at::native
