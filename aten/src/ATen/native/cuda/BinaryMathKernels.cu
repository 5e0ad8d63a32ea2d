// atan2, hypot, copysign, nextafter, logaddexp, logaddexp2, fmod, shifts of integers, and
// nan_to_num.

#include <ATen/Dispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <ATen/ops/atan2_native.h>
#include <ATen/ops/bitwise_left_shift_native.h>
#include <ATen/ops/bitwise_right_shift_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/logaddexp2_native.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/ops/view_as_real.h>

#include <cmath>
#include <limits>

namespace at::native {
namespace {

#define AT_FORMULA(Name, formula)                  \
  struct Name {                                    \
    template <typename T>                          \
    C10_HOST_DEVICE T operator()(T a, T b) const { \
      return formula;                              \
    }                                              \
  };
AT_FORMULA(Atan2, std::atan2(a, b))
AT_FORMULA(Hypot, std::hypot(a, b))
AT_FORMULA(Copysign, std::copysign(a, b))
AT_FORMULA(LogAddExp, scalar_math::log_add_exp(a, b))
AT_FORMULA(LogAddExp2, scalar_math::log_add_exp2(a, b))
AT_FORMULA(Fmod, std::fmod(a, b))
AT_FORMULA(IntegerFmod, b == 0 ? T(0) : scalar_math::truncated_remainder(a, b))
AT_FORMULA(ShiftLeft, (scalar_math::shifted<true, T>(a, b)))
AT_FORMULA(ShiftRight, (scalar_math::shifted<false, T>(a, b)))
#undef AT_FORMULA

struct ComplexLogAddExp {
  template <typename T>
  C10_HOST_DEVICE c10::complex<T> operator()(c10::complex<T> a, c10::complex<T> b) const {
    return device_math::log_add_exp(a, b);
  }
};

// In the dtype itself, which the 16-bit floats have neighbors in.
template <typename T>
struct NextAfter {
  C10_HOST_DEVICE T operator()(T from, T to) const {
    if constexpr (sizeof(T) == 2) {
      return scalar_math::next_after_16(from, to);
    } else {
      return std::nextafter(from, to);
    }
  }
};

template <typename Op>
void floating(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_binary<scalar_t>(iter, op); });
}

template <typename Op>
void shift(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), name, [&] { gpu_binary<scalar_t>(iter, op); });
}

} // namespace

#define AT_FUNCTION_OF_TWO(name, Op)                                              \
  TORCH_IMPL_FUNC(name##_out_cuda)(const Tensor&, const Tensor&, const Tensor&) { \
    floating(*this, #name "_cuda", Op());                                         \
  }
AT_FUNCTION_OF_TWO(atan2, Atan2)
AT_FUNCTION_OF_TWO(hypot, Hypot)
AT_FUNCTION_OF_TWO(copysign, Copysign)
AT_FUNCTION_OF_TWO(logaddexp2, LogAddExp2)
#undef AT_FUNCTION_OF_TWO

TORCH_IMPL_FUNC(logaddexp_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  if (c10::isComplexType(common_dtype())) {
    AT_DISPATCH_COMPLEX_TYPES(
        common_dtype(), "logaddexp_cuda", [&] { gpu_binary<scalar_t>(*this, ComplexLogAddExp()); });
  } else {
    floating(*this, "logaddexp_cuda", LogAddExp());
  }
}

TORCH_IMPL_FUNC(nextafter_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, common_dtype(), "nextafter_cuda", [&] {
    gpu_kernel(*this, NextAfter<scalar_t>());
  });
}

// A remainder by zero is an error on the CPU; a device cannot raise one, so it is 0 here.
TORCH_IMPL_FUNC(fmod_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  if (c10::isIntegralType(common_dtype(), /*includeBool=*/false)) {
    AT_DISPATCH_INTEGRAL_TYPES(
        common_dtype(), "fmod_cuda", [&] { gpu_binary<scalar_t>(*this, IntegerFmod()); });
  } else {
    floating(*this, "fmod_cuda", Fmod());
  }
}

#define AT_SHIFT(op, Op, name)                                                  \
  Tensor op##_cuda(const Tensor& self, const Tensor& other) {                   \
    TensorIterator iter;                                                        \
    iter.build_binary_op(TensorBase(), self, other);                            \
    shift(iter, name, Op());                                                    \
    return Tensor(iter.take_output());                                          \
  }                                                                             \
  Tensor& op##_out_cuda(const Tensor& self, const Tensor& other, Tensor& out) { \
    TensorIterator iter;                                                        \
    iter.build_binary_op(out, self, other);                                     \
    shift(iter, name, Op());                                                    \
    return out;                                                                 \
  }                                                                             \
  Tensor& op##_cuda_(Tensor& self, const Tensor& other) {                       \
    return native::op##_out_cuda(self, other, self);                            \
  }
AT_SHIFT(bitwise_left_shift, ShiftLeft, "lshift_cuda")
AT_SHIFT(bitwise_right_shift, ShiftRight, "rshift_cuda")
#undef AT_SHIFT

Tensor& nan_to_num_out_cuda(
    const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
    std::optional<double> neginf, Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "nan_to_num: dtype of out: ", result.scalar_type(),
      " should be same as input: ", self.scalar_type());
  if (self.is_complex()) {
    resize_output(result, self.sizes());
    Tensor parts = at::view_as_real(result);
    native::nan_to_num_out_cuda(at::view_as_real(self), nan, posinf, neginf, parts);
    return result;
  }
  TensorIterator iter;
  iter.build_unary_op(result, self);
  if (c10::isIntegralType(self.scalar_type(), /*includeBool=*/true)) {
    return at::methods::copy_(result, self);
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "nan_to_num_cuda", [&] {
    using M = at::opmath_type<scalar_t>;
    const auto rounded = [](double number) {
      return static_cast<M>(static_cast<scalar_t>(number));
    };
    const scalar_math::Replacements<M> replace{
        rounded(nan.value_or(0)),
        posinf ? rounded(*posinf) : static_cast<M>(std::numeric_limits<scalar_t>::max()),
        neginf ? rounded(*neginf) : static_cast<M>(std::numeric_limits<scalar_t>::lowest())};
    gpu_unary<scalar_t>(iter, replace);
  });
  return result;
}

} // namespace at::native
