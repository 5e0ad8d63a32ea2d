// The operators of SpecialMath.h, which computes in double, and those with vector forms.

#include <ATen/TensorIterator.h>
#include <ATen/TensorOperators.h>

#include <ATen/Dispatch.h>
#include <ATen/native/ElementaryMath.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SpecialMath.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/digamma_native.h>
#include <ATen/ops/erfc.h>
#include <ATen/ops/i0_native.h>
#include <ATen/ops/igamma_native.h>
#include <ATen/ops/igammac_native.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/lgamma_native.h>
#include <ATen/ops/mvlgamma.h>
#include <ATen/ops/mvlgamma_native.h>
#include <ATen/ops/polygamma.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sinc_native.h>
#include <ATen/ops/special_entr_native.h>
#include <ATen/ops/special_erfcx_native.h>
#include <ATen/ops/special_i0e_native.h>
#include <ATen/ops/special_i1_native.h>
#include <ATen/ops/special_i1e_native.h>
#include <ATen/ops/special_log_ndtr_native.h>
#include <ATen/ops/special_ndtr.h>
#include <ATen/ops/special_ndtr_native.h>
#include <ATen/ops/special_ndtri_native.h>
#include <ATen/ops/special_xlog1py.h>
#include <ATen/ops/special_xlog1py_native.h>
#include <ATen/ops/special_zeta.h>
#include <ATen/ops/special_zeta_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/xlogy.h>
#include <ATen/ops/xlogy_native.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace at::meta {

#define AT_FLOAT_META(op)                                     \
  TORCH_META_FUNC(op)(const Tensor& self) {                   \
    build_borrowing_unary_float_op(maybe_get_output(), self); \
  }
AT_FLOAT_META(lgamma)
AT_FLOAT_META(digamma)
AT_FLOAT_META(i0)
AT_FLOAT_META(sinc)
AT_FLOAT_META(special_i0e)
AT_FLOAT_META(special_i1)
AT_FLOAT_META(special_i1e)
AT_FLOAT_META(special_ndtri)
AT_FLOAT_META(special_log_ndtr)
AT_FLOAT_META(special_entr)
AT_FLOAT_META(special_erfcx)
#undef AT_FLOAT_META

TORCH_META_FUNC(polygamma)(int64_t n, const Tensor& self) {
  TORCH_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  build_borrowing_unary_float_op(maybe_get_output(), self);
}

TORCH_META_FUNC(igamma)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
}
TORCH_META_FUNC(igammac)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
}
TORCH_META_FUNC(special_xlog1py)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}
TORCH_META_FUNC(special_zeta)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}

} // namespace at::meta

namespace at::native {
namespace {

using Binary = double (*)(double, double);

void map(TensorIteratorBase& iter, Binary function, const char* name) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), name, [&] {
    cpu_kernel(iter, [function](scalar_t x, scalar_t y) -> scalar_t {
      return static_cast<scalar_t>(function(static_cast<double>(x), static_cast<double>(y)));
    });
  });
}

template <class Part>
void complex_sinc(TensorIteratorBase& iter) {
  cpu_kernel(iter, [](c10::complex<Part> x) -> c10::complex<Part> {
    const std::complex<double> z = std::numbers::pi * std::complex<double>(x.real(), x.imag());
    const std::complex<double> result = z == 0.0 ? 1.0 : std::sin(z) / z;
    return {static_cast<Part>(result.real()), static_cast<Part>(result.imag())};
  });
}

Tensor wrapped_number(const Scalar& number) {
  Tensor result = at::scalar_tensor(number, TensorOptions().dtype(number.type()));
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

} // namespace

#define AT_VECTOR(op, function, name)                       \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&) { \
    map_elementary(*this, Elementary::function, name);      \
  }
AT_VECTOR(i0, I0, "i0_vml_cpu")
AT_VECTOR(special_i0e, I0e, "i0e_cpu")
AT_VECTOR(special_i1, I1, "i1_cpu")
AT_VECTOR(special_i1e, I1e, "i1e_cpu")
AT_VECTOR(special_entr, Entr, "entr_cpu")
AT_VECTOR(lgamma, Lgamma, "lgamma_vml_cpu")
AT_VECTOR(digamma, Digamma, "digamma")
AT_VECTOR(special_ndtri, Ndtri, "ndtri_cpu")
AT_VECTOR(special_log_ndtr, LogNdtr, "log_ndtr_cpu")
AT_VECTOR(special_erfcx, Erfcx, "erfcx_cpu")
#undef AT_VECTOR

TORCH_IMPL_FUNC(sinc_out)(const Tensor&, const Tensor&) {
  if (common_dtype() == kComplexFloat) {
    complex_sinc<float>(*this);
  } else if (common_dtype() == kComplexDouble) {
    complex_sinc<double>(*this);
  } else {
    map_elementary(*this, Elementary::Sinc, "sinc_cpu");
  }
}

TORCH_IMPL_FUNC(polygamma_out)(int64_t n, const Tensor&, const Tensor&) {
  if (n <= 1) {
    return n == 0 ? map_elementary(*this, Elementary::Digamma, "digamma")
                  : map_elementary(*this, Elementary::Trigamma, "trigamma");
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, common_dtype(), "polygamma", [&] {
    cpu_kernel(*this, [n](scalar_t x) -> scalar_t {
      return static_cast<scalar_t>(special_math::polygamma(n, static_cast<double>(x)));
    });
  });
}

Tensor& polygamma_(Tensor& self, int64_t n) {
  return at::polygamma_out(self, n, self);
}

#define AT_BINARY(op, function, name)                                      \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&, const Tensor&) { \
    map(*this, function, name);                                            \
  }
AT_BINARY(special_zeta, special_math::zeta, "zeta_cpu")
#undef AT_BINARY

// The vector forms are exact enough for floats.
#define AT_INCOMPLETE_GAMMA(op, function, Vector, name)                                   \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&, const Tensor&) {                \
    const Binary exact = [](double a, double x) { return special_math::function(a, x); }; \
    common_dtype() == kDouble ? map(*this, exact, name)                                   \
                              : map_elementary(*this, Elementary::Vector, name);          \
  }
AT_INCOMPLETE_GAMMA(igamma, gammainc, Gammainc, "igamma_cpu")
AT_INCOMPLETE_GAMMA(igammac, gammaincc, Gammaincc, "igammac_cpu")
#undef AT_INCOMPLETE_GAMMA

TORCH_IMPL_FUNC(special_xlog1py_out)(const Tensor&, const Tensor&, const Tensor&) {
  map_elementary(*this, Elementary::Xlog1py, "xlog1py_cpu");
}

// ---- numbers in place of tensors, and composites
// -------------------------------------------------

Tensor xlogy(const Scalar& self, const Tensor& other) {
  return at::xlogy(wrapped_number(self), other);
}
Tensor xlogy(const Tensor& self, const Scalar& other) {
  return at::xlogy(self, wrapped_number(other));
}
Tensor& xlogy_(Tensor& self, const Scalar& other) {
  return at::methods::xlogy_(self, wrapped_number(other));
}
Tensor special_xlog1py(const Scalar& self, const Tensor& other) {
  return at::special_xlog1py(wrapped_number(self), other);
}
Tensor special_xlog1py(const Tensor& self, const Scalar& other) {
  return at::special_xlog1py(self, wrapped_number(other));
}
Tensor special_zeta(const Scalar& self, const Tensor& other) {
  return at::special_zeta(wrapped_number(self), other);
}
Tensor special_zeta(const Tensor& self, const Scalar& other) {
  return at::special_zeta(self, wrapped_number(other));
}

Tensor& xlogy_out(const Scalar& self, const Tensor& other, Tensor& out) {
  return at::xlogy_out(out, wrapped_number(self), other);
}
Tensor& xlogy_out(const Tensor& self, const Scalar& other, Tensor& out) {
  return at::xlogy_out(out, self, wrapped_number(other));
}
Tensor& special_xlog1py_out(const Scalar& self, const Tensor& other, Tensor& out) {
  return at::special_xlog1py_out(out, wrapped_number(self), other);
}
Tensor& special_xlog1py_out(const Tensor& self, const Scalar& other, Tensor& out) {
  return at::special_xlog1py_out(out, self, wrapped_number(other));
}
Tensor& special_zeta_out(const Scalar& self, const Tensor& other, Tensor& out) {
  return at::special_zeta_out(out, wrapped_number(self), other);
}
Tensor& special_zeta_out(const Tensor& self, const Scalar& other, Tensor& out) {
  return at::special_zeta_out(out, self, wrapped_number(other));
}

Tensor special_ndtr(const Tensor& self) {
  return at::erfc(self * (-std::numbers::sqrt2 / 2)) * 0.5;
}

Tensor& special_ndtr_out(const Tensor& self, Tensor& out) {
  const Tensor result = at::special_ndtr(self);
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), "result type ", result.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  resize_output(out, result.sizes());
  return at::methods::copy_(out, result);
}

Tensor mvlgamma(const Tensor& self, int64_t p) {
  TORCH_CHECK(self.scalar_type() != kBool, "The input tensor may not be a boolean tensor.");
  TORCH_CHECK(p >= 1, "p has to be greater than or equal to 1");
  const Tensor x = c10::isIntegralType(self.scalar_type(), /*includeBool=*/false)
      ? at::methods::to(self, c10::get_default_dtype_as_scalartype())
      : self;
  // p (p - 1) / 4 log(pi) + the sum of lgamma(x - i / 2) for i < p
  const Tensor steps = at::arange(p, x.options()) * -0.5;
  const double constant = static_cast<double>(p * (p - 1)) / 4 * std::log(std::numbers::pi);
  return at::sum(at::lgamma(at::unsqueeze(x, -1) + steps), -1) + constant;
}

namespace {

void check_mvlgamma_cast(const Tensor& self, const Tensor& result, const Tensor& out) {
  TORCH_CHECK(
      c10::canCast(result.scalar_type(), out.scalar_type()), "mvlgamma: result type ",
      self.scalar_type(), " can't be cast to the desired output type ", result.scalar_type());
}

} // namespace

Tensor& mvlgamma_(Tensor& self, int64_t p) {
  const Tensor result = native::mvlgamma(self, p);
  check_mvlgamma_cast(self, result, self);
  return at::methods::copy_(self, result);
}

Tensor& mvlgamma_out(const Tensor& self, int64_t p, Tensor& out) {
  const Tensor result = at::mvlgamma(self, p);
  check_mvlgamma_cast(self, result, out);
  resize_output(out, result.sizes());
  return at::methods::copy_(out, result);
}

} // namespace at::native
