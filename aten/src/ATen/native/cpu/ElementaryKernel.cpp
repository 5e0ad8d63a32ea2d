#include <ATen/cpu/vec/vec_hyperbolic.h>
#include <ATen/cpu/vec/vec_inverse_trig.h>
#include <ATen/cpu/vec/vec_special.h>
#include <ATen/native/ElementaryMath.h>
#include <ATen/native/cpu/Lanes.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T, typename Function>
C10_NOINLINE void over_one(const ElementaryCall& call, const Function& function) {
  constexpr int64_t L = kLanes<T>;
  const T* x = static_cast<const T*>(call.x);
  T* out = static_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += L) {
    const bool whole = call.n - i >= L;
    const Lanes<T> a = whole ? load_lanes<T>(x + i) : at::vec::load_first<T, L>(x + i, call.n - i);
    const Lanes<T> result = function(a);
    if (whole) {
      store_lanes<T>(out + i, result);
    } else {
      at::vec::store_first<T, L>(out + i, result, call.n - i);
    }
  }
}

template <typename T, typename Function>
C10_NOINLINE void over_two(const ElementaryCall& call, const Function& function) {
  constexpr int64_t L = kLanes<T>;
  const T* x = static_cast<const T*>(call.x);
  const T* y = static_cast<const T*>(call.y);
  T* out = static_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += L) {
    const int64_t count = call.n - i;
    if (count >= L) {
      store_lanes<T>(out + i, function(load_lanes<T>(x + i), load_lanes<T>(y + i)));
    } else {
      const Lanes<T> a = at::vec::load_first<T, L>(x + i, count);
      const Lanes<T> b = at::vec::load_first<T, L>(y + i, count);
      at::vec::store_first<T, L>(out + i, function(a, b), count);
    }
  }
}

template <typename T>
void run(const ElementaryCall& call) {
  switch (call.function) {
    case Elementary::Tan:
      return over_one<T>(call, [](auto x) { return vec::tan(x); });
    case Elementary::Acos:
      return over_one<T>(call, [](auto x) { return vec::acos(x); });
    case Elementary::Asin:
      return over_one<T>(call, [](auto x) { return vec::asin(x); });
    case Elementary::Atan:
      return over_one<T>(call, [](auto x) { return vec::atan(x); });
    case Elementary::Cosh:
      return over_one<T>(call, [](auto x) { return vec::cosh(x); });
    case Elementary::Sinh:
      return over_one<T>(call, [](auto x) { return vec::sinh(x); });
    case Elementary::Acosh:
      return over_one<T>(call, [](auto x) { return vec::acosh(x); });
    case Elementary::Asinh:
      return over_one<T>(call, [](auto x) { return vec::asinh(x); });
    case Elementary::Atanh:
      return over_one<T>(call, [](auto x) { return vec::atanh(x); });
    case Elementary::Log2:
      return over_one<T>(call, [](auto x) { return vec::log2(x); });
    case Elementary::Log10:
      return over_one<T>(call, [](auto x) { return vec::log10(x); });
    case Elementary::Exp2:
      return over_one<T>(call, [](auto x) { return vec::exp2(x); });
    case Elementary::Erfc:
      return over_one<T>(call, [](auto x) { return vec::erfc(x); });
    case Elementary::Entr:
      return over_one<T>(call, [](auto x) { return vec::entr(x); });
    case Elementary::I0:
      return over_one<T>(call, [](auto x) { return vec::i0(x); });
    case Elementary::I0e:
      return over_one<T>(call, [](auto x) { return vec::i0e(x); });
    case Elementary::I1:
      return over_one<T>(call, [](auto x) { return vec::i1(x); });
    case Elementary::I1e:
      return over_one<T>(call, [](auto x) { return vec::i1e(x); });
    case Elementary::Sinc:
      return over_one<T>(call, [](auto x) { return vec::sinc(x); });
    case Elementary::Atan2:
      return over_two<T>(call, [](auto y, auto x) { return vec::atan2(y, x); });
    case Elementary::Fmod:
      return over_two<T>(call, [](auto x, auto y) { return vec::fmod(x, y); });
    case Elementary::Xlog1py:
      return over_two<T>(call, [](auto x, auto y) { return vec::xlog1py(x, y); });
    default: // the functions of SpecialKernel.cpp
      return;
  }
}

void elementary_kernel(const ElementaryCall& call) {
  call.is_double ? run<double>(call) : run<float>(call);
}

} // namespace

REGISTER_DISPATCH(elementary_stub, &elementary_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
