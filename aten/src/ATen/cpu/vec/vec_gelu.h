#pragma once

#include <ATen/cpu/vec/vec_machine.h>

// gelu of bfloat16: x - w(x) for positive x and -w(-x) for negative ones, where w(a) = a Phi(-a) is
// given by 32 polynomials around the points 0, step, 2 step, ... Their relative error is
// below 2^-17 for a up to 3 and grows to 2^-11.8; all results down to gelu(-5.5) are rounded
// correctly.

namespace at::vec {
inline namespace CPU_CAPABILITY {

#if defined(CPU_CAPABILITY_AVX512)

// Row k holds the coefficients of (a - point)^k; tools/vec_math/fit.py computes them. At the last
// point w is 0, as 1 + erf would be.
constexpr float kGeluStep = 0.18359375f;
constexpr uint16_t kGeluEnd = 0x40b4; // 5.625, which belongs to the last point
constexpr float kGeluTable[4][32] = {
    {0x0.0p+0f,       0x1.413a0ap-4f,  0x1.0c446ep-3f,  0x1.48201ep-3f,
     0x1.5bf72ap-3f,  0x1.511e0ap-3f,  0x1.314bbep-3f,  0x1.058a18p-3f,
     0x1.aad69ep-4f,  0x1.4d347cp-4f,  0x1.f314b8p-5f,  0x1.674560p-5f,
     0x1.f1df54p-6f,  0x1.4c5fe0p-6f,  0x1.abe2eap-7f,  0x1.09b462p-7f,
     0x1.3e7aeap-8f,  0x1.708b5cp-9f,  0x1.9bd800p-10f, 0x1.bc8708p-11f,
     0x1.cf8278p-12f, 0x1.d2f31ep-13f, 0x1.c68c16p-14f, 0x1.ab9612p-15f,
     0x1.84b810p-16f, 0x1.558a36p-17f, 0x1.220b10p-18f, 0x1.dc279ap-20f,
     0x1.79cadap-21f, 0x1.21bfa6p-22f, 0x1.ada122p-24f, 0.0f},
    {0x1.0p-1f,        0x1.6badcap-2f,   0x1.c22940p-3f,   0x1.a225f6p-4f,
     0x1.f441dep-8f,   -0x1.f391e0p-5f,  -0x1.aaf626p-4f,  -0x1.00452cp-3f,
     -0x1.06c71ep-3f,  -0x1.e7cbb8p-4f,  -0x1.a43bb2p-4f,  -0x1.547868p-4f,
     -0x1.056e2ep-4f,  -0x1.7e5e76p-5f,  -0x1.0b3336p-5f,  -0x1.65ad5cp-6f,
     -0x1.cb5d58p-7f,  -0x1.1b6024p-7f,  -0x1.503294p-8f,  -0x1.7fd99cp-9f,
     -0x1.a6052ep-10f, -0x1.bf05a4p-11f, -0x1.c861eep-12f, -0x1.c13ee4p-13f,
     -0x1.aa804cp-14f, -0x1.869ca4p-15f, -0x1.592f5ap-16f, -0x1.26632ap-17f,
     -0x1.e4aba2p-19f, -0x1.81277ap-20f, -0x1.2781a4p-21f, 0.0f},
    {-0x1.98c470p-2f, -0x1.8a6496p-2f, -0x1.63babep-2f, -0x1.298990p-2f,
     -0x1.c79116p-3f, -0x1.36740cp-3f, -0x1.5f466ep-4f, -0x1.f760f8p-6f,
     0x1.537154p-7f,  0x1.2e76aap-5f,  0x1.9d76dcp-5f,  0x1.b8c8e8p-5f,
     0x1.9b2c02p-5f,  0x1.5dca0ep-5f,  0x1.14c9aep-5f,  0x1.9bf628p-6f,
     0x1.22484ap-6f,  0x1.8517f6p-7f,  0x1.f19decp-8f,  0x1.304dcap-8f,
     0x1.64885ep-9f,  0x1.90b34cp-10f, 0x1.b070e6p-11f, 0x1.c0872ep-12f,
     0x1.bf69d4p-13f, 0x1.ad7926p-14f, 0x1.8ce654p-15f, 0x1.614846p-16f,
     0x1.2efa8cp-17f, 0x1.f4db78p-19f, 0x1.8f19bcp-20f, 0.0f},
    {0x1.179538p-7f,   0x1.7aa870p-5f,   0x1.6714a6p-4f,   0x1.db256ep-4f,
     0x1.07c72cp-3f,   0x1.0285f2p-3f,   0x1.c6de40p-4f,   0x1.671b7ep-4f,
     0x1.f3f3aep-5f,   0x1.22b7ecp-5f,   0x1.cfcfaap-7f,   -0x1.72e486p-10f,
     -0x1.6a082ap-7f,  -0x1.fe4bb0p-7f,  -0x1.0b8f62p-6f,  -0x1.e33490p-7f,
     -0x1.8a8138p-7f,  -0x1.29e2d0p-7f,  -0x1.a54b3cp-8f,  -0x1.191ee4p-8f,
     -0x1.63d24ap-9f,  -0x1.aca784p-10f, -0x1.ecc5bap-11f, -0x1.0ed042p-11f,
     -0x1.1d0898p-12f, -0x1.1f9fe2p-13f, -0x1.168938p-14f, -0x1.03114ap-15f,
     -0x1.cf2ce6p-17f, -0x1.8e2b34p-18f, -0x1.495216p-19f, 0.0f},
};

using Halves = Lanes<uint16_t, 32>;
using Words = Lanes<uint32_t, 16>;

// gelu of the bfloat16 in the upper halves of `x`, computed in float and rounded to the upper
// halves of the result; the lower ones hold anything. `a` is |x|, or kGeluEnd if that is less.
C10_ALWAYS_INLINE Words gelu_of_upper_halves(Words x, Words a) {
  using V = Lanes<float, 16>;
  const V magnitude = reinterpret_cast<V>(a);
  const V shifted = fma(magnitude, splat<V>(1.0f / kGeluStep), splat<V>(kRoundMagic<float>));
  const auto index = reinterpret_cast<Lanes<int32_t, 16>>(shifted);
  const V t = fma(shifted - kRoundMagic<float>, splat<V>(-kGeluStep), magnitude);
  V w = lookup(kGeluTable[3], index);
#pragma GCC unroll 3
  for (int k = 2; k >= 0; --k) {
    w = fma(w, t, lookup(kGeluTable[k], index));
  }
  // The maximum of two zeros is its second operand, so that the sign of a zero is kept.
  const auto positive = reinterpret_cast<V>(
      _mm512_maskz_max_ps(kAll16, _mm512_set1_ps(-0.0f), reinterpret_cast<__m512>(x)));
  const auto result = reinterpret_cast<Words>(positive - w);
  return result + 0x7fffu + ((result >> 16) & 1u);
}

// Even and odd elements are the two halves of words: neither is moved to other lanes.
C10_ALWAYS_INLINE Halves gelu_bfloat16(Halves x) {
  constexpr uint32_t kUpper = 0xffff0000u;
  constexpr uint16_t kInfinity = 0x7f80, kMinusInfinity = 0xff80, kNan = 0x7fc0;
  const Halves magnitude = x & uint16_t(0x7fff);
  const Halves a = magnitude < kGeluEnd ? magnitude : Halves{} + kGeluEnd;
  const auto both = reinterpret_cast<Words>(x), ends = reinterpret_cast<Words>(a);
  const Words even = gelu_of_upper_halves(both << 16, ends << 16);
  const Words odd = gelu_of_upper_halves(both & kUpper, ends & kUpper);
  const auto result = reinterpret_cast<Halves>((odd & kUpper) | (even >> 16));
  const auto has_value = (magnitude <= kInfinity) & (x != kMinusInfinity);
  return has_value ? result : Halves{} + kNan;
}

#endif

} // namespace CPU_CAPABILITY
} // namespace at::vec
