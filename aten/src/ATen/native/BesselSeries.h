#pragma once

#include <c10/macros/Macros.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

// Modified Bessel functions of the first kind, of orders 0 and 1: their series, and formulas for
// one number. vec_special.h has the formulas for vectors.
namespace at::native::bessel {

// Chebyshev series of exp(-x) I(x) (1 + 1 / x)^order up to 8, and of sqrt(x) exp(-x) I(x) beyond.
// tools/vec_math/chebyshev.py computes them.

constexpr double kNear0[] = {
    0x1.5a84e9035a22ap-2,  -0x1.37febc057cd8dp-2,  0x1.5f7ac77ac88c0p-3,  -0x1.84b70342d06eap-4,
    0x1.93e8acea8a32dp-5,  -0x1.84e9ef121b6f0p-6,  0x1.59961f3dde3ddp-7,  -0x1.1b65e201aa849p-8,
    0x1.adc758a12100ep-10, -0x1.2e2fd1f15eb52p-11, 0x1.8b51b74107cabp-13, -0x1.e2b2659c41d5ap-15,
    0x1.13f58be9a2859p-16, -0x1.2866fcba56427p-18, 0x1.2bf24978cf4acp-20, -0x1.1ec638f227f8dp-22,
    0x1.03b769d4d6435p-24, -0x1.beaf68c0b30abp-27, 0x1.6d903a454cb34p-29, -0x1.1d4fe13ae9556p-31,
    0x1.a98becc743c10p-34, -0x1.2fc957a946abcp-36, 0x1.9fe2fe19bd324p-39, -0x1.1164c62ee1af0p-41,
    0x1.59b464b262627p-44, -0x1.a5022c297fbebp-47, 0x1.ee6d893f65ebap-50, -0x1.184eb721ebbb4p-52,
    0x1.33362977da589p-55, -0x1.45cb72134d0efp-58};
constexpr double kFar0[] = {
    0x1.9be62aca809cbp-2,   0x1.b998ca2e59049p-9,   0x1.20fa378999e52p-14,  0x1.8412bc101c586p-19,
    0x1.b8007d9cd616ep-23,  0x1.8569280d6d56dp-26,  0x1.d2c64a9225b87p-29,  0x1.0f9ccc0f46f75p-31,
    0x1.a24feabe8004fp-37,  -0x1.1511d08397425p-35, -0x1.d0fd7357e7bf2p-37, -0x1.f904303178d66p-40,
    0x1.94347fa268cecp-41,  0x1.b1c8c6b83c073p-42,  0x1.156ff0d5fc545p-46,  -0x1.75d99cf68bb32p-45,
    -0x1.583fe7e65629ap-47, 0x1.12a919094e6d7p-48,  0x1.fee7da3eafb1fp-50,  -0x1.8aee7d908de38p-52,
    -0x1.4600babd21fe4p-52, 0x1.3f3dd076041cdp-55,  0x1.9be1812d98421p-55,  -0x1.646da6611912bp-58,
    -0x1.0adb754ca8b1dp-57};
constexpr double kNear1[] = {
    0x1.1d527995126c4p-2,   -0x1.5f7ac77ac88c0p-3, 0x1.be68b89e38d72p-5,   -0x1.47579936085d2p-7,
    -0x1.bc0ea02f36771p-9,  0x1.4418b16bc0589p-8,  -0x1.ba21cf19596f0p-9,  0x1.cfe0dcd33c5e9p-10,
    -0x1.9dc9904fc3f9dp-11, 0x1.468691a34ccbcp-12, -0x1.d186496a06251p-14, 0x1.2fb7c3919e54cp-15,
    -0x1.6e0a017d3cf0dp-17, 0x1.9a46e5c4fda37p-19, -0x1.ae084eb448587p-21, 0x1.a76ad78efd72fp-23,
    -0x1.8924e2bc730b9p-25, 0x1.5961d5c919c37p-27, -0x1.1fee59aab94a6p-29, 0x1.c8c1315bbc816p-32,
    -0x1.597f1b67f411fp-34, 0x1.f3858b10d3bfep-37, -0x1.59c7003a65751p-39, 0x1.cb32fad7b9e36p-42,
    -0x1.24f740cb23a3fp-44, 0x1.67b729c8ec2acp-47, -0x1.a99a512ba2347p-50, 0x1.e5ddea1531deep-53,
    -0x1.0be9b0f26a57ap-55, 0x1.1dbfc9a4fb3afp-58};
constexpr double kFar1[] = {
    0x1.8ea18b55b1514p-2,   -0x1.3fda053fcdb4cp-7,  -0x1.cfd7f804aa9a6p-14, -0x1.048df49ca0373p-18,
    -0x1.0dbfd2e9e5443p-22, -0x1.c415394bb46c1p-26, -0x1.0790b9ad53528p-28, -0x1.334ca5423dd80p-31,
    -0x1.4dcf9d4504c0cp-36, 0x1.1e1a1f1587865p-35,  0x1.f101f653c457bp-37,  0x1.1e7d3f6439fa3p-39,
    -0x1.953e1076ab493p-41, -0x1.cbc458e73e255p-42, -0x1.7a9482e6d22a0p-46, 0x1.80d3c26b3281ep-45,
    0x1.776e1762d31e8p-47,  -0x1.12db5138afbc7p-48, -0x1.0efcd8bc4d22ap-49, 0x1.7d68e5f04a2d1p-52,
    0x1.55915fceb588ap-52,  -0x1.2806c9c773320p-55, -0x1.acea3b2532276p-55, 0x1.45b8aea87b94bp-58,
    0x1.1556db352e8eap-57};

// A coefficient as a constant of the code, because device code cannot read arrays of the host.
template <const auto& coefficients, size_t kIndex>
struct Term {
  static constexpr double value = coefficients[kIndex];
};

// Clenshaw's recurrence. Single precision needs the larger coefficients only.
template <const auto& coefficients, typename T, size_t... K>
C10_HOST_DEVICE inline T clenshaw(T t, std::index_sequence<K...>) {
  constexpr size_t kTerms = sizeof...(K) + 1;
  const T twice = t + t;
  T b{}, before{}, next{};
  ((next = twice * b + (T(Term<coefficients, kTerms - 1 - K>::value) - before), before = b,
    b = next),
   ...);
  return t * b + (T(Term<coefficients, 0>::value) - before);
}
template <const auto& coefficients, size_t kSingle, typename T>
C10_HOST_DEVICE inline T chebyshev(T t) {
  constexpr size_t kAll = sizeof(coefficients) / sizeof(double);
  constexpr size_t kTerms = sizeof(T) == 4 && kSingle < kAll ? kSingle : kAll;
  return clenshaw<coefficients>(t, std::make_index_sequence<kTerms - 1>());
}

// exp(-|x|) I0(x)
template <typename T>
C10_HOST_DEVICE inline T i0e(T x) {
  const T a = std::abs(x);
  return a > T(8) ? chebyshev<kFar0, 8>(T(16) / a - T(1)) / std::sqrt(a)
                  : chebyshev<kNear0, 20>(a * T(0.25) - T(1));
}
// exp(-|x|) I1(x)
template <typename T>
C10_HOST_DEVICE inline T i1e(T x) {
  const T a = std::abs(x);
  return a > T(8) ? std::copysign(chebyshev<kFar1, 8>(T(16) / a - T(1)) / std::sqrt(a), x)
                  : x / (a + T(1)) * chebyshev<kNear1, 20>(a * T(0.25) - T(1));
}
// value exp(a), by two factors, which overflow later.
template <typename T>
C10_HOST_DEVICE inline T times_exp(T value, T a) {
  const T half = std::exp(a * T(0.5));
  return a == std::numeric_limits<T>::infinity() ? std::copysign(a, value) : half * value * half;
}
template <typename T>
C10_HOST_DEVICE inline T i0(T x) {
  return times_exp(i0e(x), std::abs(x));
}
template <typename T>
C10_HOST_DEVICE inline T i1(T x) {
  return times_exp(i1e(x), std::abs(x));
}

} // namespace at::native::bessel
