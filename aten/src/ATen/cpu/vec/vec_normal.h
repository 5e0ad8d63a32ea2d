#pragma once

#include <ATen/cpu/vec/vec_hyperbolic.h>
#include <ATen/cpu/vec/vec_log.h>

#include <limits>

// Functions of the normal distribution for lanes of doubles, and erfinv also for registers of
// floats that hold tables. `Short` is exact enough for floats. tools/vec_math/chebyshev.py computes
// the series.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// erfinv(y) / y in w = -log(1 - y^2) up to 6.25, and in its root from 5/2 to 4 and to 49/8 (Giles,
// "Approximating the erfinv function", 2010, has the idea). All are mapped to [-1, 1].
constexpr double kErfinvNear[] = {
    0x1.a755e7c99ae86p+0,   0x1.8040caa12786bp-1,   -0x1.e2b19456a0d19p-5,  -0x1.7259eca3a149bp-6,
    0x1.23c5aee6d616ep-6,   -0x1.0f249df1b8482p-8,  -0x1.4d5dd2f4bfceap-10, 0x1.4316b4d6bf6dap-10,
    -0x1.153c9d12375eep-12, -0x1.ea446f6d4be88p-14, 0x1.879bfca20f806p-14,  -0x1.f83f146703393p-17,
    -0x1.79ad98b2f41c4p-17, 0x1.de7d9b8a5acd5p-18,  -0x1.7126b3eec22d5p-21, -0x1.1c5d14613037dp-20,
    0x1.24e700888c41ap-21,  -0x1.5d5da1b7fd9ccp-27, -0x1.c3652c023df3ep-24, 0x1.503ba4d125ef1p-25,
    0x1.36f92f0f3986bp-27,  -0x1.260cd2f1c6664p-27, -0x1.680b2736424cdp-34, 0x1.a64454acc72d9p-31};
constexpr double kErfinvNearShort[] = {
    0x1.a755e7c9eb72fp+0,   0x1.8040ca3b47f6ap-1,   -0x1.e2b1981684dbbp-5,  -0x1.72587ff7224f4p-6,
    0x1.23c6223a7063dp-6,   -0x1.0f53a493eea25p-8,  -0x1.4d867c12ec4e6p-10, 0x1.45b9d928a93a0p-10,
    -0x1.139b938790378p-12, -0x1.1afbdee316781p-13, 0x1.800e619ccae23p-14,  0x1.99c9b736ca149p-20,
    -0x1.686b16c6e6ae3p-17};
constexpr double kErfinvMiddle[] = {
    0x1.8abcc380d5a48p+1,   0x1.8204fa4162bffp-1,   0x1.8bfc9e26dfa86p-9,   -0x1.9eda88e4f2171p-10,
    0x1.9d4ce38388dc6p-11,  -0x1.a418d38d88595p-12, 0x1.63d03799aff0ep-13,  -0x1.8d8d2c9517b78p-15,
    0x1.42e8024c12062p-19,  0x1.5816a12ae9075p-18,  -0x1.65a659025d653p-19, 0x1.1aa473894c01dp-21,
    0x1.8e0b68bc3259dp-24,  -0x1.96b0b242e6e7fp-24, 0x1.cac304df80056p-26,  -0x1.954e914918277p-32,
    -0x1.75bc9e52c0062p-29, 0x1.0fd4768dc9d9cp-30,  0x1.0ff2666665b18p-38,  -0x1.1c6b809e24fb6p-34};
constexpr double kErfinvMiddleShort[] = {
    0x1.8abcc3773128cp+1,   0x1.8204fa58a9f8fp-1,   0x1.8c043519683adp-9,  -0x1.9ede53759ac16p-10,
    0x1.9c575fbf5d2b0p-11,  -0x1.a3beb2654d9d2p-12, 0x1.6ebdb0f76531dp-13, -0x1.949d0441acb67p-15,
    -0x1.f61d1f31c522cp-19, 0x1.9aa9025ee461fp-18};
constexpr double kErfinvTail[] = {
    0x1.3a6f678932e7fp+2,  0x1.12cbdd3961963p+0,   -0x1.a3c379fe5ff05p-13, -0x1.eefcdd76fc665p-13,
    0x1.76b7b2600dc4ap-14, -0x1.9a595371551ccp-16, 0x1.8d56c04c71a17p-18,  -0x1.6c1076a9b4886p-20,
    0x1.5517cfb733f3ep-22, -0x1.8399f941e3b54p-24, 0x1.4068957f38625p-25,  -0x1.5b27e08545175p-26,
    0x1.7f09d10f83c40p-27, -0x1.7220dfefd51f3p-28, 0x1.3c1e4d2810790p-29,  -0x1.fdb796d6330f8p-31,
    0x1.cd60e57437e51p-33, 0x1.410cd0710ec86p-34,  -0x1.7f62e9283561fp-35};
constexpr double kErfinvTailShort[] = {
    0x1.3a6f67856a499p+2,  0x1.12cbdd52618bep+0,   -0x1.a3885837359bap-13, -0x1.ef251367f5ce4p-13,
    0x1.747e7489f7450p-14, -0x1.961580a1ab1d0p-16, 0x1.c23cdd11ad87dp-18,  -0x1.bce2ef0a02db4p-20};
constexpr double kErfcx[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a287p-3,  0x1.f7f5df66fc232p-7,   0x1.16ecefcfa4d42p-4,
    -0x1.9ddb23c3e0f9fp-4,  0x1.7fee004e1e9dcp-4,   -0x1.0fb06dfee117cp-4,  0x1.3079edf51fc68p-5,
    -0x1.0962386e0ee02p-6,  0x1.49c672e0029c2p-8,   -0x1.8d4aaa511de6ap-11, -0x1.a1df5db3b79f4p-13,
    0x1.3be128d9104c4p-13,  -0x1.995385e20c3b6p-16, -0x1.78a6e4120d43dp-17, 0x1.7ef6b7a31e6a9p-18,
    0x1.3ffd566b4c798p-22,  -0x1.b8d249727cce8p-21, 0x1.3199f76ac5e29p-24,  0x1.c8b87aa039fb6p-24,
    -0x1.1943d94f86a0bp-26, -0x1.a83c2ea8364c9p-27, 0x1.b09c53938c643p-30,  0x1.ffeb28f8a7c30p-31};
constexpr double kErfcxShort[] = {
    0x1.3ba5916988133p+0,  -0x1.1df1a902135e6p-3, 0x1.f7f6d9d7e3c51p-7,   0x1.16ec03c398534p-4,
    -0x1.9ddd1b02b12d8p-4, 0x1.7ff5bacec8c2ap-4,  -0x1.0fa48ed76d288p-4,  0x1.30412fee652e4p-5,
    -0x1.09eb32b145f41p-6, 0x1.4d1255a07a302p-8,  -0x1.73ca3109bad53p-11, -0x1.04813a1b8a43fp-12,
    0x1.df061781bececp-14};

// y = 1 - 2 q with q given, which may be tiny: w = -log(4 q (1 - q)).
template <bool Short, typename V>
C10_ALWAYS_INLINE V erfinv_over_y(V w) {
  const V t = at_most(w, 6.25) * 0.32 - 1.0;
  V result;
  if constexpr (Short) {
    result = polynomial(t, kErfinvNearShort);
  } else {
    result = polynomial(t, kErfinvNear);
  }
  if (!any_lane(w > 6.25)) {
    return result;
  }
  const V s = sqrt_exact(w);
  const V middle = (s - 3.25) * (1 / 0.75), tail = (s - 5.0625) * (1 / 1.0625);
  V beyond;
  if constexpr (Short) {
    beyond = s <= 4.0 ? polynomial(middle, kErfinvMiddleShort) : polynomial(tail, kErfinvTailShort);
  } else {
    beyond = s <= 4.0 ? polynomial(middle, kErfinvMiddle) : polynomial(tail, kErfinvTail);
  }
  return w > 6.25 ? beyond : result;
}

template <bool Short, typename V>
C10_ALWAYS_INLINE V erfinv(V y) {
  using T = element_of<V>;
  const V a = abs(y);
  const V w = -log((T(1) - a) * (T(1) + a));
  V ratio;
  if constexpr (is_zmm_float<V>) { // within 2.5 ulp
    ratio = by_table<4>(at_most(w, kErfinvTableEnd), kErfinvTable, kErfinvStep);
  } else {
    ratio = erfinv_over_y<Short>(w);
  }
  return a == T(1) ? with_sign(splat<V>(std::numeric_limits<T>::infinity()), y) : y * ratio;
}

// The largest w that the series reach: probabilities below 10^-16 have a greater one.
constexpr double kErfinvEnd = 37.5;

// The inverse of the distribution function; lanes with w > kErfinvEnd are left to the caller.
template <bool Short, typename V>
C10_ALWAYS_INLINE V ndtri(V p, V& w) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  w = -log(4.0 * p * (1.0 - p));
  const V y = (p - 0.5) * 2.8284271247461900976;
  const V result = y * erfinv_over_y<Short>(w);
  return p == 0.0 ? splat<V>(-kInfinity) : p == 1.0 ? splat<V>(kInfinity) : result;
}

// exp(x^2) erfc(x). (1 + 2 |x|) times it is a smooth function of (|x| - 4) / (|x| + 4).
template <bool Short, typename V>
C10_ALWAYS_INLINE V erfcx(V x) {
  const V a = abs(x), capped = at_most(a, 1e17);
  const V t = (capped - 4.0) / (capped + 4.0);
  V result;
  if constexpr (Short) {
    result = polynomial(t, kErfcxShort);
  } else {
    result = polynomial(t, kErfcx);
  }
  result /= 1.0 + a + a;
  const auto negative = x < V{};
  if (any_lane(negative)) {
    // x^2 as the exact square of the upper half of the bits, and the rest.
    using Word = mask_of<V>;
    const V upper = reinterpret_cast<V>(reinterpret_cast<Word>(a) & ~((int64_t(1) << 27) - 1));
    const V rest = (a - upper) * (a + upper);
    const V square = exp(upper * upper);
    const V whole =
        fma(square, fma(rest * rest, fma(rest, splat<V>(1.0 / 6), splat<V>(0.5)), rest), square);
    const V mirrored =
        a > 27.0 ? splat<V>(std::numeric_limits<double>::infinity()) : whole + whole - result;
    result = negative ? mirrored : result;
  }
  return x == x ? result : x;
}

// The logarithm of the distribution function.
template <bool Short, typename V>
C10_ALWAYS_INLINE V log_ndtr(V x) {
  constexpr double kRootHalf = 0.70710678118654752440;
  const auto low = x < -1.0;
  V result{};
  if (any_lane(~low)) {
    result = log1p(-0.5 * erfc(x * kRootHalf));
  }
  if (any_lane(low)) {
    const V a = at_least(-x, 0.0);
    const V tail = log(0.5 * erfcx<Short>(a * kRootHalf)) - 0.5 * x * x;
    result = low ? tail : result;
  }
  return result;
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
