#pragma once

#include <ATen/cpu/vec/vec_exp.h>

// Logarithms with AVX-512, whose registers hold tables: a number is m 2^e with m in [c, 2c), c just
// below 3/4, and m lies in one of 32 (float) or 16 (double) pieces, whose steps are even in the
// bits of m. Row k of the tables holds 1/p for a point p of piece k, and log(p); the rest is a
// short polynomial in f = m/p - 1. The piece around 1 has p = 1, so that the result keeps its
// relative precision there. Elsewhere p is chosen so that the logarithms to all bases are close to
// representable numbers. tools/vec_math/log_pieces.py computes everything.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct LogPieces;

template <>
struct LogPieces<float> {
  static constexpr uint32_t kFirst = 0x3f3e0000, kLeast = 0x00800000, kInfinity = 0x7f800000;
  static constexpr int kPieceShift = 18;
  static constexpr float kInverse[] = {
      0x1.555cd6p+0f, 0x1.4e650ap+0f, 0x1.47b0d4p+0f, 0x1.414322p+0f, 0x1.3b1b12p+0f,
      0x1.351b90p+0f, 0x1.2f6bacp+0f, 0x1.29eb52p+0f, 0x1.24944ap+0f, 0x1.1f6c88p+0f,
      0x1.1a7616p+0f, 0x1.15af66p+0f, 0x1.111832p+0f, 0x1.0c91b4p+0f, 0x1.084890p+0f,
      0x1.041382p+0f, 0x1.000000p+0f, 0x1.f085a0p-1f, 0x1.e1d6e2p-1f, 0x1.d42682p-1f,
      0x1.c71332p-1f, 0x1.bad212p-1f, 0x1.af2a2cp-1f, 0x1.a41c02p-1f, 0x1.998a9ap-1f,
      0x1.8f9d18p-1f, 0x1.860c22p-1f, 0x1.7d05b4p-1f, 0x1.745918p-1f, 0x1.6c16c2p-1f,
      0x1.642e46p-1f, 0x1.5c98c2p-1f};
};
template <>
struct LogPieces<double> {
  static constexpr uint64_t kFirst = 0x3fe7800000000000, kLeast = 0x0010000000000000;
  static constexpr uint64_t kInfinity = 0x7ff0000000000000;
  static constexpr int kPieceShift = 48;
  static constexpr double kInverse[] = {
      0x1.5554fe9555555p+0, 0x1.47ae82fae147bp+0, 0x1.3b13ab6b13b14p+0, 0x1.2f67f88a12f68p+0,
      0x1.2491cb3492492p+0, 0x1.1a7b3481a7b96p+0, 0x1.1111459111111p+0, 0x1.0841fc1421084p+0,
      0x1.0000000000000p+0, 0x1.e1e17d01e1e1ep-1, 0x1.c71b94871c71cp-1, 0x1.af29172a1af28p-1,
      0x1.9999c1799999ap-1, 0x1.8616ee2618618p-1, 0x1.745e2945d1746p-1, 0x1.642d7df0b2164p-1};
};

// For each base: log(2) in two parts, of which the first has few bits, so that its products with
// exponents are exact; the factor of f in two parts; the logarithms of the points; and
// (log(1 + f) - factor f) / f^2.
template <typename T>
struct NaturalLog;
template <>
struct NaturalLog<float> {
  static constexpr float kTwo = 0x1.62e400p-1f, kTwoLow = 0x1.7f7d1cp-20f;
  static constexpr float kFactor = 1.0f, kFactorLow = 0.0f;
  static constexpr float kPoint[] = {
      -0x1.26aca2p-2f,
      -0x1.118e56p-2f,
      -0x1.f9a2f4p-3f,
      -0x1.d10f78p-3f,
      -0x1.a96ec8p-3f,
      -0x1.8212b0p-3f,
      -0x1.5c0ad0p-3f,
      -0x1.36919ep-3f,
      -0x1.1186eep-3f,
      -0x1.da3d08p-4f,
      -0x1.92e624p-4f,
      -0x1.4d0c36p-4f,
      -0x1.08c478p-4f,
      -0x1.88a692p-5f,
      -0x1.04df46p-5f,
      -0x1.02d262p-6f,
      0.0f,
      0x1.f6f014p-6f,
      0x1.f15e0cp-5f,
      0x1.6ebc38p-4f,
      0x1.e2c3b6p-4f,
      0x1.29499cp-3f,
      0x1.5feab6p-3f,
      0x1.951d20p-3f,
      0x1.c94a7cp-3f,
      0x1.fb8c6cp-3f,
      0x1.1695f2p-2f,
      0x1.2e8ed8p-2f,
      0x1.4623bap-2f,
      0x1.5d1bdap-2f,
      0x1.739876p-2f,
      0x1.89a27ep-2f};
  static constexpr float kTail[] = {-0x1.000000p-1f, 0x1.556000p-2f, -0x1.000956p-2f};
};
template <>
struct NaturalLog<double> {
  static constexpr double kTwo = 0x1.62e42fee00000p-1, kTwoLow = 0x1.a39ef35793c76p-33;
  static constexpr double kFactor = 1.0, kFactorLow = 0.0;
  static constexpr double kPoint[] = {
      -0x1.26951cd32ca6dp-2, -0x1.f994796ac6c59p-3, -0x1.a93eae00ad452p-3,
      -0x1.5bf1d458f6a57p-3, -0x1.11757691c08b6p-3, -0x1.93305f2ca04d2p-4,
      -0x1.085c9ed997ec8p-4, -0x1.04135f0e5bc42p-5, 0.0,
      0x1.f0a9bee1c9a89p-5,  0x1.e2783e249333ep-4,  0x1.5fefd9031b04ap-3,
      0x1.c8feb519b3566p-3,  0x1.167999988a6bfp-2,  0x1.4615caa2db25ep-2,
      0x1.739ab558b5fa7p-2};
  static constexpr double kTail[] = {
      -0x1.fffffffffffc6p-2, 0x1.55555555554eap-2, -0x1.00000000c0c95p-2, 0x1.9999999b9bc1cp-3,
      -0x1.55553facb03a3p-3, 0x1.249231128ff66p-3, -0x1.0073641322134p-3, 0x1.c8006971a54b3p-4};
};

template <typename T>
struct BinaryLog;
template <>
struct BinaryLog<float> {
  static constexpr float kTwo = 1.0f, kTwoLow = 0.0f;
  static constexpr float kFactor = 0x1.715476p+0f, kFactorLow = 0x1.4ae0c0p-26f;
  static constexpr float kPoint[] = {
      -0x1.a92010p-2f,
      -0x1.8aa86cp-2f,
      -0x1.6cbd5ap-2f,
      -0x1.4f785ep-2f,
      -0x1.32e286p-2f,
      -0x1.167e28p-2f,
      -0x1.f61e6ap-3f,
      -0x1.c00e5cp-3f,
      -0x1.8a9dbcp-3f,
      -0x1.561738p-3f,
      -0x1.22a154p-3f,
      -0x1.e07c7cp-4f,
      -0x1.7dfa8cp-4f,
      -0x1.1b3cd2p-4f,
      -0x1.785be6p-5f,
      -0x1.7566a4p-6f,
      0.0f,
      0x1.6acafep-5f,
      0x1.66c654p-4f,
      0x1.088b26p-3f,
      0x1.5c3db0p-3f,
      0x1.ace530p-3f,
      0x1.fbb56cp-3f,
      0x1.243a52p-2f,
      0x1.49dd9ep-2f,
      0x1.6e1e6ep-2f,
      0x1.91ea0cp-2f,
      0x1.b47fb8p-2f,
      0x1.d6851ap-2f,
      0x1.f7a854p-2f,
      0x1.0c0caep-1f,
      0x1.1bf28cp-1f};
  static constexpr float kTail[] = {-0x1.715476p-1f, 0x1.ec8002p-2f, -0x1.716e56p-2f};
};
template <>
struct BinaryLog<double> {
  static constexpr double kTwo = 1.0, kTwoLow = 0.0;
  static constexpr double kFactor = 0x1.71547652b82fep+0, kFactorLow = 0x1.777d0ffda0d24p-56;
  static constexpr double kPoint[] = {
      -0x1.a8fe1fa1c3a5fp-2, -0x1.6cb2e8b44669bp-2, -0x1.32bfd2f62f1b1p-2,
      -0x1.f5fa5f3fce635p-3, -0x1.8a8488d77f62dp-3, -0x1.22d6dfb490938p-3,
      -0x1.7d64b98be078fp-4, -0x1.7735ba93da1f7p-5, 0.0,
      0x1.664444b267ba2p-4,  0x1.5c074003373bcp-3,  0x1.fbbcd52af507bp-3,
      0x1.49a6f4eb44e56p-2,  0x1.91c127014dae0p-2,  0x1.d670fef2a4502p-2,
      0x1.0c0e4cf4e0f5bp-1};
  static constexpr double kTail[] = {
      -0x1.71547652b82d4p-1, 0x1.ec709dc3a0363p-2, -0x1.71547653cf146p-2, 0x1.2776c5106c211p-2,
      -0x1.ec707e79f66cep-3, 0x1.a6173ff414630p-3, -0x1.71fb05476ab8ep-3, 0x1.48ef79396adbbp-3};
};

template <typename T>
struct DecimalLog;
template <>
struct DecimalLog<float> {
  static constexpr float kTwo = 0x1.344p-2f, kTwoLow = 0x1.3509f8p-18f;
  static constexpr float kFactor = 0x1.bcb7b2p-2f, kFactorLow = -0x1.5b235ep-27f;
  static constexpr float kPoint[] = {
      -0x1.ffe6dcp-4f,
      -0x1.db3728p-4f,
      -0x1.b730b8p-4f,
      -0x1.93f244p-4f,
      -0x1.7186b4p-4f,
      -0x1.4f56b8p-4f,
      -0x1.2e4e3ep-4f,
      -0x1.0dc1b4p-4f,
      -0x1.db2a4ap-5f,
      -0x1.9beb12p-5f,
      -0x1.5df420p-5f,
      -0x1.214814p-5f,
      -0x1.cbf2bcp-6f,
      -0x1.550d52p-6f,
      -0x1.c52e6ep-7f,
      -0x1.c19e9ap-8f,
      0.0f,
      0x1.b4d8a2p-7f,
      0x1.b00200p-6f,
      0x1.3e8accp-5f,
      0x1.a352ecp-5f,
      0x1.02387ep-4f,
      0x1.31abccp-4f,
      0x1.5fe09ap-4f,
      0x1.8d32a8p-4f,
      0x1.b8d9dep-4f,
      0x1.e3f3f6p-4f,
      0x1.06cc6cp-3f,
      0x1.1b47fep-3f,
      0x1.2f3b68p-3f,
      0x1.42c388p-3f,
      0x1.55e824p-3f};
  static constexpr float kTail[] = {-0x1.bcb7b2p-3f, 0x1.2883bap-3f, -0x1.bcade0p-4f};
};
template <>
struct DecimalLog<double> {
  static constexpr double kTwo = 0x1.34413509f7800p-2, kTwoLow = 0x1.fef311f12b358p-46;
  static constexpr double kFactor = 0x1.bcb7b1526e50ep-2, kFactorLow = 0x1.95355baaafad3p-57;
  static constexpr double kPoint[] = {
      -0x1.ffbdfea1d008ap-4, -0x1.b72424f537b90p-4, -0x1.715cec126950ap-4,
      -0x1.2e388b95aa4b5p-4, -0x1.db0bf206d0940p-5, -0x1.5e3499f5d9fb7p-5,
      -0x1.cb3e54d41a747p-6, -0x1.c3cc36dafd6bap-7, 0.0,
      0x1.af6564362b435p-6,  0x1.a3115ef62c6b4p-5,  0x1.31b0424dd5cdap-4,
      0x1.8cf0d65ba511dp-4,  0x1.e3c2b8351a441p-4,  0x1.1b3be3722f8d2p-3,
      0x1.42c57bc18e8d6p-3};
  static constexpr double kTail[] = {
      -0x1.bcb7b1526e4dcp-3, 0x1.287a7636f4302p-3, -0x1.bcb7b153bcadfp-4, 0x1.63c62776e289cp-4,
      -0x1.287a636aa4e02p-4, 0x1.fc3f7c525112cp-5, -0x1.bd80164f5f884p-5, 0x1.8c13dad4be45bp-5};
};

#if defined(__AVX512F__)
constexpr bool has_log_table = true;

template <typename V>
C10_ALWAYS_INLINE bool any_unusual(bits_of<V> bits) {
  using P = LogPieces<element_of<V>>;
  const auto above = reinterpret_cast<__m512i>(bits - P::kLeast);
  const auto range = reinterpret_cast<__m512i>(bits_of<V>{} + (P::kInfinity - P::kLeast));
  if constexpr (is_zmm_float<V>) {
    return _mm512_cmpge_epu32_mask(above, range) != 0;
  } else {
    return _mm512_cmpge_epu64_mask(above, range) != 0;
  }
}

// For positive normal numbers, divided by 2^lift before.
template <template <typename> class Base, typename V>
C10_ALWAYS_INLINE V log_of_normal(V x, V lift) {
  using T = element_of<V>;
  using P = LogPieces<T>;
  using B = Base<T>;
  using Bits = bits_of<V>;
  using Int = mask_of<V>;
  constexpr int kMantissa = ExpConstants<T>::kMantissa;
  const Bits bits = reinterpret_cast<Bits>(x);
  const Bits offset = bits - P::kFirst;
  const Int e = reinterpret_cast<Int>(offset) >> kMantissa;
  const Int piece = reinterpret_cast<Int>(offset >> P::kPieceShift); // the low bits count
  const V m = reinterpret_cast<V>(bits - (offset >> kMantissa << kMantissa));
  const V exponent = convert_lanes<T>(e) - lift;
  const V f = fma(m, lookup(P::kInverse, piece), splat<V>(T(-1)));
  V rest = f * f * polynomial(f, B::kTail);
  if constexpr (B::kFactorLow != T(0)) {
    rest = fma(f, splat<V>(B::kFactorLow), rest);
  }
  if constexpr (B::kTwoLow != T(0)) {
    rest = fma(exponent, splat<V>(B::kTwoLow), rest);
  }
  rest = B::kFactor == T(1) ? rest + f : fma(f, splat<V>(B::kFactor), rest);
  return fma(exponent, splat<V>(B::kTwo), lookup(B::kPoint, piece)) + rest;
}

// Also for zero, subnormal numbers, negative ones, infinity and NaN.
template <template <typename> class Base, typename V>
C10_NOINLINE V log_of_any(V x) {
  using T = element_of<V>;
  constexpr T kLift = sizeof(T) == 4 ? T(0x1p25) : T(0x1p54),
              kBits = sizeof(T) == 4 ? T(25) : T(54);
  const auto subnormal = x < std::numeric_limits<T>::min();
  const V lifted = subnormal ? x * kLift : x;
  V result = log_of_normal<Base>(lifted, subnormal ? splat<V>(kBits) : V{});
  result = x == std::numeric_limits<T>::infinity() ? x : result;
  result = x == V{} ? splat<V>(-std::numeric_limits<T>::infinity()) : result;
  return x >= V{} ? result : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

template <template <typename> class Base, typename V>
C10_ALWAYS_INLINE V log_by_table(V x) {
  const bool unusual = any_unusual<V>(reinterpret_cast<bits_of<V>>(x));
  return C10_UNLIKELY(unusual) ? log_of_any<Base>(x) : log_of_normal<Base>(x, V{});
}
#else
constexpr bool has_log_table = false;
template <template <typename> class Base, typename V>
V log_by_table(V) = delete;
#endif

} // namespace CPU_CAPABILITY
} // namespace at::vec
