#pragma once

#include <ATen/cpu/vec/vec_exp.h>

// The error function: x + x q(x^2) near 0, 1 - exp(-p(|x|)) beyond, where p = -log(erfc).

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename V>
C10_ALWAYS_INLINE V erf_float(V x) {
  constexpr float kSmall[] = {0x1.06eba8p-3f, -0x1.812742p-2f,  0x1.ce2df2p-4f, -0x1.b80db0p-6f,
                              0x1.54c580p-8f, -0x1.aa4cc4p-11f, 0x1.5d5556p-14f};
  constexpr float kExponent[] = {-0x1.757288p-13f, 0x1.212904p+0f,  0x1.444140p-1f,
                                 0x1.bbb074p-4f,   -0x1.9c082ep-6f, 0x1.121e0ap-8f,
                                 -0x1.ca3a52p-12f, 0x1.65ceccp-16f};
  const V a = abs(x);
  const V z = a * a;
  const V small = fma(a, polynomial(z, kSmall), a);
  const V large = 1.0f - exp(-polynomial(at_most(a, 4.0f), kExponent));
  return with_sign(a < 0.92f ? small : large, x);
}

template <typename V>
C10_ALWAYS_INLINE V erf_double(V x) {
  constexpr double kSmall[] = {
      0x1.06eba8214db69p-3,  -0x1.812746b037a01p-2,  0x1.ce2f21a043a12p-4,  -0x1.b82ce312c0dfdp-6,
      0x1.565bcd1605056p-8,  -0x1.c02db53a32d11p-11, 0x1.f9a34608d913fp-14, -0x1.f4d4309e09540p-17,
      0x1.b9f466a1e9833p-20, -0x1.5f651656fb2d7p-23, 0x1.f382610344518p-27, -0x1.0a0ad5b9e3db3p-30};
  constexpr double kMiddle[] = {
      0x1.c74836b36564dp-23,  0x1.20dd4bb2f50adp+0,   0x1.45f4c37207bb6p-1,
      0x1.a4c6fcdec72a8p-4,   -0x1.37c67da323cf5p-6,  -0x1.864061c96b7c8p-12,
      0x1.f104bb00ebcbfp-10,  -0x1.9618fe2c0d12fp-11, 0x1.40697ea71f4d5p-13,
      0x1.57a987d736294p-19,  -0x1.9175a4c2aba96p-17, 0x1.0fe6df93ac2cdp-18,
      -0x1.8d7a06226e432p-21, 0x1.47b8c09b47af6p-24,  -0x1.e22f1ab26dff2p-29};
  constexpr double kFar[] = {-0x1.55a35f097e3b7p-13, 0x1.21144a3f00f91p+0,   0x1.44f058f0eb8e1p-1,
                             0x1.b07482ac80a3bp-4,   -0x1.649ba1c2bd302p-6,  0x1.796ca89205126p-10,
                             0x1.1e98e55a2642ep-10,  -0x1.3089ef477e294p-11, 0x1.63c77223a75d9p-13,
                             -0x1.220202f07e6d7p-15, 0x1.57d142cfc7810p-18,  -0x1.25243293f47bdp-21,
                             0x1.5676c93012759p-25,  -0x1.ec35ac786f893p-30, 0x1.48aae58627fd9p-35};
  const V a = abs(x);
  const V z = a * a;
  const V small = fma(a, polynomial(z, kSmall), a);
  const V capped = at_most(a, 5.95);
  const V exponent = a < 2.2 ? polynomial(capped, kMiddle) : polynomial(capped, kFar);
  const V large = 1.0 - exp(-exponent);
  return with_sign(a < 0.84 ? small : large, x);
}

template <typename V>
C10_ALWAYS_INLINE V erf(V x) {
  if constexpr (is_zmm_float<V>) {
    return odd_by_table<5>(x, kErfTable, kErfStep, kErfEnd);
  } else if constexpr (std::is_same_v<element_of<V>, float>) {
    return erf_float(x);
  } else {
    return erf_double(x);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
