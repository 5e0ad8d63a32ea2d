#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/cpu/ByteConversion.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using Sums = Integers;
using Columns = ByteColumns;
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

int32_t terms_at(const uint8_t* p) {
  int32_t terms;
  std::memcpy(&terms, p, sizeof(terms));
  return terms;
}

// ---- the product --------------------------------------------------------------------------------

template <class Dot>
struct ByteProduct {
  const PackedBytes& weights;
  const ByteConversion& conversion;
  const ByteRows& rows;
  int64_t width = weights.depth / rows.taps; // bytes of each piece
  int64_t panel_bytes = weights.panel_bytes();

  template <int kRows, int kRegisters>
  using Tile = Sums[kRows][kRegisters];

  // `kRegisters` registers of columns from `column` on.
  template <int kRows, int kRegisters>
  void multiply(int64_t row, int64_t column) const {
    const int8_t* panel =
        weights.panels + column / kBytePanel * panel_bytes + column % kBytePanel * kByteTerms;
    Tile<kRows, kRegisters> sums = {};
    for (int64_t tap = 0; tap < rows.taps; ++tap) {
      const uint8_t* x[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        x[r] = rows.pieces[tap * kByteRowPitch + row + r] + rows.offset;
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
    save<kRows, kRegisters>(sums, row, column);
  }

  template <int kRows, int kRegisters>
  void save(Tile<kRows, kRegisters>& sums, int64_t row, int64_t column) const {
    const auto of_register = [&](int j) {
      return Columns(conversion, [&]<class T>(const T* values) {
        return load_lanes<T>(values + column + j * kWide);
      });
    };
    const Columns columns[] = {of_register(0), of_register(kRegisters - 1)};
#pragma GCC unroll 2
    for (int j = 0; j < kRegisters; ++j) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        sums[r][j] += columns[j].offsets;
      }
    }
    if (conversion.points != nullptr) {
      for (int r = 0; r < kRows && row + r < rows.count; ++r) {
        for (int j = 0; j < kRegisters; ++j) {
          sums[r][j] -= columns[j].points * rows.row_sums[row + r];
        }
      }
    }
    if (conversion.to_bytes) {
      save_bytes<kRows, kRegisters>(columns, sums, row, column);
    } else {
      save_floats<kRows, kRegisters>(columns, sums, row, column);
    }
  }

  template <int kRows, int kRegisters>
  void save_bytes(
      const Columns* columns, const Tile<kRows, kRegisters>& sums, int64_t row,
      int64_t column) const {
    constexpr int kTogether = kRegistersOfBytes / kRegisters; // rows that fill a register of bytes
    constexpr int64_t kCount = kRegisters * kWide;
    const int64_t count = std::min(weights.columns - column, kCount);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; r += kTogether) {
      Sums integers[kRegistersOfBytes];
#pragma GCC unroll 4
      for (int i = 0; i < kRegistersOfBytes; ++i) {
        const int j = i % kRegisters;
        integers[i] = columns[j].nearest_integers(
            sums[std::min(r + i / kRegisters, kRows - 1)][j], conversion.high);
      }
      const Bytes bytes = converted_bytes<ByteOrder::kConsecutive>(integers, conversion);
      alignas(at::vec::kVectorBytes) uint8_t whole[kTogether][kCount];
      std::memcpy(whole, &bytes, sizeof(bytes));
      for (int i = 0; i < std::min(kTogether, kRows - r); ++i) {
        if (row + r + i < rows.count) {
          auto* const to =
              static_cast<uint8_t*>(rows.out) + (row + r + i) * rows.out_pitch + column;
          if (count == kCount) {
            std::memcpy(to, whole[i], kCount);
          } else {
            std::memcpy(to, whole[i], count);
          }
        }
      }
    }
  }

  template <int kRows, int kRegisters>
  void save_floats(
      const Columns* columns, const Tile<kRows, kRegisters>& sums, int64_t row,
      int64_t column) const {
    const Numbers low = splat<float>(conversion.low);
#pragma GCC unroll 2
    for (int j = 0; j < kRegisters; ++j) {
      const int64_t first = column + j * kWide;
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        if (row + r < rows.count) {
          save_up_to<float, float>(
              static_cast<float*>(rows.out) + (row + r) * rows.out_pitch + first,
              columns[j].numbers(sums[r][j], low), weights.columns - first);
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

// ---- depthwise convolutions ---------------------------------------------------------------------

// Takes the elements of one half of every 16 bytes from `a` and `b` by turns.
template <int kHalf, class Lane, int... kAt>
Lane alternating(Lane a, Lane b, std::integer_sequence<int, kAt...>) {
  constexpr int kCount = sizeof...(kAt), kSegment = 16 * kCount / static_cast<int>(sizeof(Lane));
  return __builtin_shufflevector(
      a, b,
      (kAt / kSegment * kSegment + kHalf * kSegment / 2 + kAt % kSegment / 2 +
       kAt % 2 * kCount)...);
}
template <int kHalf, class Lane>
Lane alternating(Lane a, Lane b) {
  return alternating<kHalf>(a, b, std::make_integer_sequence<int, at::vec::lanes_of<Lane>>{});
}

// Four terms of each channel of a register of bytes, in the order kBySegment.
struct ChannelTerms {
  Sums quarters[kRegistersOfBytes];

  explicit ChannelTerms(const Bytes (&terms)[kByteTerms])
      : quarters{half<0, 0>(terms), half<0, 1>(terms), half<1, 0>(terms), half<1, 1>(terms)} {}

  template <int kHalf, int kQuarter>
  static Sums half(const Bytes (&terms)[kByteTerms]) {
    const auto pairs = [&](int i) {
      return reinterpret_cast<Lanes<uint16_t>>(alternating<kHalf>(terms[i], terms[i + 1]));
    };
    return reinterpret_cast<Sums>(alternating<kQuarter>(pairs(0), pairs(2)));
  }
};

// Multiplies the channels of one register of bytes, from `column` on.
template <class Dot>
class ChannelProduct {
 public:
  ChannelProduct(
      const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
      int32_t zero_point, int64_t column)
      : conversion_(conversion),
        rows_(rows),
        depth_(weights.depth),
        least_input_sum_(-static_cast<int32_t>(depth_) * zero_point),
        column_(column),
        count_(std::min<int64_t>(weights.columns - column, kLanes<uint8_t>)) {
    factors_.reserve(depth_ / kByteTerms + 1);
    for (int64_t k = 0; k < depth_; k += kByteTerms) {
      Bytes terms[kByteTerms], ones[kByteTerms];
      for (int64_t i = 0; i < kByteTerms; ++i) {
        const int8_t* const from = weights.panels + (k + i) * weights.panel + column;
        terms[i] = k + i < depth_ ? at::vec::load<uint8_t, kLanes<uint8_t>>(from) : Bytes{};
        ones[i] = splat<uint8_t>(k + i < depth_);
      }
      factors_.push_back({ChannelTerms(terms), ChannelTerms(ones)});
    }
  }

  void run() const {
    if (count_ == kLanes<uint8_t>) {
      run([](const uint8_t* from) { return at::vec::load<uint8_t, kLanes<uint8_t>>(from); });
    } else {
      run([&](const uint8_t* from) {
        return at::vec::load_first<uint8_t, kLanes<uint8_t>>(from, count_);
      });
    }
  }

 private:
  struct Factors {
    typename Dot::Factor weights[kRegistersOfBytes], one;

    Factors(const ChannelTerms& terms, const ChannelTerms& ones)
        : weights{
              Dot::weights(terms.quarters[0]), Dot::weights(terms.quarters[1]),
              Dot::weights(terms.quarters[2]), Dot::weights(terms.quarters[3])},
          one(Dot::weights(ones.quarters[0])) {}
  };

  Columns columns(int quarter) const {
    return Columns(conversion_, [&]<class T>(const T* values) {
      T found[kWide];
      for (int i = 0; i < kWide; i += 4) {
        std::memcpy(found + i, values + column_ + i * 4 + quarter * 4, 4 * sizeof(T));
      }
      return load_lanes<T>(found);
    });
  }

  template <class Load>
  void run(const Load& load) const {
    const Columns quarters[] = {columns(0), columns(1), columns(2), columns(3)};
    for (int64_t row = 0; row < rows_.count; ++row) {
      const uint8_t* const* const pieces = rows_.pieces + row;
      Sums sums[kRegistersOfBytes], inputs[kRegistersOfBytes];
      for (int j = 0; j < kRegistersOfBytes; ++j) {
        sums[j] = quarters[j].offsets;
        inputs[j] = splat<int32_t>(least_input_sum_);
      }
      const auto add = [&](const Bytes(&terms)[kByteTerms], const Factors& factors) {
        const ChannelTerms x(terms);
        for (int j = 0; j < kRegistersOfBytes; ++j) {
          const auto factor = Dot::inputs(x.quarters[j]);
          sums[j] = Dot::add(sums[j], factor, factors.weights[j]);
          if (conversion_.points != nullptr) {
            inputs[j] = Dot::add(inputs[j], factor, factors.one);
          }
        }
      };
      const auto term = [&](int64_t k) { return load(pieces[k * kByteRowPitch] + column_); };
      int64_t k = 0;
      for (; k + kByteTerms <= depth_; k += kByteTerms) {
        add({term(k), term(k + 1), term(k + 2), term(k + 3)}, factors_[k / kByteTerms]);
      }
      if (k < depth_) {
        const auto term_or_none = [&](int64_t i) { return i < depth_ ? term(i) : Bytes{}; };
        add({term(k), term_or_none(k + 1), term_or_none(k + 2), Bytes{}}, factors_.back());
      }
      Sums integers[kRegistersOfBytes];
      for (int j = 0; j < kRegistersOfBytes; ++j) {
        if (conversion_.points != nullptr) {
          sums[j] -= quarters[j].points * inputs[j];
        }
        integers[j] = quarters[j].nearest_integers(sums[j], conversion_.high);
      }
      save_up_to<uint8_t, uint8_t>(
          static_cast<uint8_t*>(rows_.out) + row * rows_.out_pitch + column_,
          converted_bytes<ByteOrder::kBySegment>(integers, conversion_), count_);
    }
  }

  const ByteConversion& conversion_;
  const ByteRows& rows_;
  int64_t depth_;
  int32_t least_input_sum_;
  int64_t column_, count_;
  std::vector<Factors> factors_; // one for each four terms
};

// ---- the instructions of this processor ---------------------------------------------------------

template <class Run>
void with_dot(const Run& run) {
#if defined(CPU_CAPABILITY_AVX512)
  static const bool has_vnni = __builtin_cpu_supports("avx512vnni");
  if (has_vnni) {
    return run(VnniDot{});
  }
#endif
#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)
  run(PairDot{});
#else
  run(LaneDot{});
#endif
}

void byte_product(
    const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
    int64_t first, int64_t last) {
  with_dot([&]<class Dot>(Dot) { ByteProduct<Dot>{weights, conversion, rows}.run(first, last); });
}

void byte_channel_product(
    const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
    int32_t zero_point) {
  constexpr int64_t kStep = kLanes<uint8_t>;
  with_dot([&]<class Dot>(Dot) {
    for (int64_t column = 0; column < weights.columns; column += kStep) {
      // The last channels are multiplied with some before them, so that registers are full.
      const int64_t first = std::max<int64_t>(0, std::min(column, weights.columns - kStep));
      ChannelProduct<Dot>(weights, conversion, rows, zero_point, first).run();
    }
  });
}

} // namespace

REGISTER_DISPATCH(byte_product_stub, &byte_product)
REGISTER_DISPATCH(byte_channel_product_stub, &byte_channel_product)

} // namespace CPU_CAPABILITY
} // namespace at::native
