// Point-wise functions of the C library: tan, the inverse and hyperbolic functions, log2, log10,
// exp2 and erfc; of two operands, atan2 and fmod. Each dtype has one loop, shared by all functions:
// those of ElementaryMath.h compute blocks of adjacent numbers, the others one number, through a
// pointer. The meta functions of the generated kernels, such as hypot, are here,
// too; their loops are generated.

#include <ATen/TensorIterator.h>

#include <ATen/Dispatch.h>
#include <ATen/native/ElementaryMath.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/ops/acos_native.h>
#include <ATen/ops/acosh_native.h>
#include <ATen/ops/asin_native.h>
#include <ATen/ops/asinh_native.h>
#include <ATen/ops/atan2_native.h>
#include <ATen/ops/atan_native.h>
#include <ATen/ops/atanh_native.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/cosh_native.h>
#include <ATen/ops/erfc_native.h>
#include <ATen/ops/exp2_native.h>
#include <ATen/ops/fmod.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/frac_native.h>
#include <ATen/ops/gcd_native.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/lcm_native.h>
#include <ATen/ops/log10_native.h>
#include <ATen/ops/log2_native.h>
#include <ATen/ops/logaddexp2_native.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sinh_native.h>
#include <ATen/ops/tan_native.h>
#include <c10/util/complex.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace at::meta {

#define AT_FLOAT_META(op)                                     \
  TORCH_META_FUNC(op)(const Tensor& self) {                   \
    build_borrowing_unary_float_op(maybe_get_output(), self); \
  }
AT_FLOAT_META(tan)
AT_FLOAT_META(acos)
AT_FLOAT_META(asin)
AT_FLOAT_META(atan)
AT_FLOAT_META(cosh)
AT_FLOAT_META(sinh)
AT_FLOAT_META(acosh)
AT_FLOAT_META(asinh)
AT_FLOAT_META(atanh)
AT_FLOAT_META(log2)
AT_FLOAT_META(log10)
AT_FLOAT_META(exp2)
AT_FLOAT_META(erfc)
#undef AT_FLOAT_META

TORCH_META_FUNC(atan2)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}
TORCH_META_FUNC2(copysign, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_float_op(maybe_get_output(), self, other);
}

#define AT_SAME_DTYPE_META(op)                                   \
  TORCH_META_FUNC(op)(const Tensor& self, const Tensor& other) { \
    build_borrowing_binary_op(maybe_get_output(), self, other);  \
  }
AT_SAME_DTYPE_META(hypot)
AT_SAME_DTYPE_META(nextafter)
AT_SAME_DTYPE_META(logaddexp)
AT_SAME_DTYPE_META(logaddexp2)
AT_SAME_DTYPE_META(gcd)
AT_SAME_DTYPE_META(lcm)
#undef AT_SAME_DTYPE_META

TORCH_META_FUNC(frac)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC2(fmod, Tensor)(const Tensor& self, const Tensor& other) {
  build_borrowing_binary_op(maybe_get_output(), self, other);
}

} // namespace at::meta

namespace at::native {
namespace {

template <class T>
using Unary = T (*)(T);

// The functions of complex numbers; null where there are none.
struct ComplexFunctions {
  Unary<std::complex<float>> of_float = nullptr;
  Unary<std::complex<double>> of_double = nullptr;
};

template <class Part>
void map_complex(TensorIteratorBase& iter, Unary<std::complex<Part>> function) {
  cpu_kernel(iter, [function](c10::complex<Part> x) -> c10::complex<Part> {
    const std::complex<Part> result = function({x.real(), x.imag()});
    return c10::complex<Part>(result.real(), result.imag());
  });
}

void apply(const ElementaryCall& call) {
  if (call.function < Elementary::Lgamma) {
    elementary_stub.on_host(call);
  } else if (call.function < Elementary::AiryAi) {
    special_stub.on_host(call);
  } else if (call.function < Elementary::ChebyshevT) {
    bessel_stub.on_host(call);
  } else {
    polynomial_stub.on_host(call);
  }
}

// Applies a function to rows of elements T, in blocks of adjacent numbers of type Compute.
template <class T, class Compute, int operands>
void map_rows(TensorIteratorBase& iter, Elementary function) {
  iter.for_each_1d([function](char** data, const int64_t* strides, int64_t n) {
    ElementaryCall call{function, std::is_same_v<Compute, double>, nullptr, nullptr, nullptr, n};
    bool direct = std::is_same_v<T, Compute>;
    for (int i = 0; i <= operands; ++i) {
      direct = direct && strides[i] == sizeof(T);
    }
    if (direct) {
      call.out = data[0];
      call.x = data[1];
      call.y = data[operands];
      return apply(call);
    }
    constexpr int64_t block = 256;
    Compute buffers[operands][block];
    call.out = buffers[0];
    call.x = buffers[0];
    call.y = buffers[operands - 1];
    for (int64_t done = 0; done < n; done += block) {
      call.n = std::min(block, n - done);
      for (int k = 0; k < operands; ++k) {
        for (int64_t i = 0; i < call.n; ++i) {
          const char* from = data[k + 1] + (done + i) * strides[k + 1];
          buffers[k][i] = static_cast<Compute>(*reinterpret_cast<const T*>(from));
        }
      }
      apply(call);
      for (int64_t i = 0; i < call.n; ++i) {
        *reinterpret_cast<T*>(data[0] + (done + i) * strides[0]) = static_cast<T>(buffers[0][i]);
      }
    }
  });
  iter.cast_outputs();
}

template <int operands>
void map(
    TensorIteratorBase& iter, Elementary function, const char* name,
    const ComplexFunctions& complex = {}) {
  switch (iter.common_dtype()) {
    case kFloat:
      return map_rows<float, float, operands>(iter, function);
    case kDouble:
      return map_rows<double, double, operands>(iter, function);
    case kHalf:
      return map_rows<c10::Half, float, operands>(iter, function);
    case kBFloat16:
      return map_rows<c10::BFloat16, float, operands>(iter, function);
    case kComplexFloat:
      if (complex.of_float) {
        return map_complex(iter, complex.of_float);
      }
      break;
    case kComplexDouble:
      if (complex.of_double) {
        return map_complex(iter, complex.of_double);
      }
      break;
    default:
      break;
  }
  at::detail::dispatch_unsupported(name, iter.common_dtype());
}

Tensor wrapped_number(const Scalar& number) {
  Tensor result = at::scalar_tensor(number, TensorOptions().dtype(number.type()));
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

template <class C>
C complex_log2(C x) {
  return std::log(x) / std::numbers::ln2_v<typename C::value_type>;
}

template <class C>
C complex_exp2(C x) {
  return std::exp(x * std::numbers::ln2_v<typename C::value_type>);
}

} // namespace

DEFINE_DISPATCH(elementary_stub);
DEFINE_DISPATCH(special_stub);
DEFINE_DISPATCH(bessel_stub);
DEFINE_DISPATCH(polynomial_stub);

void map_elementary(TensorIteratorBase& iter, Elementary function, const char* name) {
  iter.ninputs() == 1 ? map<1>(iter, function, name) : map<2>(iter, function, name);
}

#define AT_REAL_AND_COMPLEX(op, function)                         \
  TORCH_IMPL_FUNC(op##_out)(const Tensor&, const Tensor&) {       \
    const ComplexFunctions complex{                               \
        [](std::complex<float> x) { return std::op(x); },         \
        [](std::complex<double> x) { return std::op(x); }};       \
    map<1>(*this, Elementary::function, #op "_vml_cpu", complex); \
  }
AT_REAL_AND_COMPLEX(tan, Tan)
AT_REAL_AND_COMPLEX(acos, Acos)
AT_REAL_AND_COMPLEX(asin, Asin)
AT_REAL_AND_COMPLEX(atan, Atan)
AT_REAL_AND_COMPLEX(cosh, Cosh)
AT_REAL_AND_COMPLEX(sinh, Sinh)
AT_REAL_AND_COMPLEX(acosh, Acosh)
AT_REAL_AND_COMPLEX(asinh, Asinh)
AT_REAL_AND_COMPLEX(atanh, Atanh)
AT_REAL_AND_COMPLEX(log10, Log10)
#undef AT_REAL_AND_COMPLEX

TORCH_IMPL_FUNC(log2_out)(const Tensor&, const Tensor&) {
  map<1>(*this, Elementary::Log2, "log2_vml_cpu", {complex_log2, complex_log2});
}
TORCH_IMPL_FUNC(exp2_out)(const Tensor&, const Tensor&) {
  map<1>(*this, Elementary::Exp2, "exp2", {complex_exp2, complex_exp2});
}
TORCH_IMPL_FUNC(erfc_out)(const Tensor&, const Tensor&) {
  map<1>(*this, Elementary::Erfc, "erfc_vml_cpu");
}
TORCH_IMPL_FUNC(atan2_out)(const Tensor&, const Tensor&, const Tensor&) {
  map<2>(*this, Elementary::Atan2, "atan2_cpu");
}

// ---- fmod --------------------------------------------------------------------------------------

namespace {

template <typename T>
T integer_fmod(T x, T y) {
  TORCH_CHECK(y != 0, "ZeroDivisionError");
  return scalar_math::truncated_remainder(x, y);
}

} // namespace

TORCH_IMPL_FUNC(fmod_out)(const Tensor&, const Tensor&, const Tensor&) {
  if (!c10::isIntegralType(common_dtype(), /*includeBool=*/false)) {
    return map<2>(*this, Elementary::Fmod, "fmod_cpu");
  }
  AT_DISPATCH_INTEGRAL_TYPES(common_dtype(), "fmod_cpu", [&] {
    cpu_kernel(*this, [](scalar_t x, scalar_t y) -> scalar_t { return integer_fmod(x, y); });
  });
}

Tensor fmod(const Tensor& self, const Scalar& other) {
  return at::fmod(self, wrapped_number(other));
}

Tensor& fmod_out(const Tensor& self, const Scalar& other, Tensor& result) {
  return at::fmod_out(result, self, wrapped_number(other));
}

Tensor& fmod_(Tensor& self, const Scalar& other) {
  return at::methods::fmod_(self, wrapped_number(other));
}

} // namespace at::native
