// Predicates of one number: is it zero, a NaN, infinite, finite?

#include <ATen/native/Float8.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void logical_not_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  check_not_storage_dtype(dtype, "logical_not_cpu");
  const auto run = [&]<typename T>(T) {
    vec_kernel<bool(T)>(iter, [](auto x) { return vec::to_bool(x == decltype(x){}); });
  };
  switch (dtype) {
    case kComplexFloat:
      return cpu_kernel(iter, [](c10::complex<float> z) -> bool { return !bool(z); });
    case kComplexDouble:
      return cpu_kernel(iter, [](c10::complex<double> z) -> bool { return !bool(z); });
    case kComplexHalf:
      at::detail::dispatch_unsupported("logical_not_cpu", dtype);
    default:
      break;
  }
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "logical_not_cpu", run);
  } else {
    for_integer_width(dtype, run);
  }
}

template <typename V>
auto is_class(V x, FloatClass kind) {
  const V size = vec::abs(x);
  const auto infinity = std::numeric_limits<vec::element_of<V>>::infinity();
  return kind == FloatClass::NaN     ? (x != x)
      : kind == FloatClass::Infinite ? (size == infinity)
                                     : (size < infinity);
}

void float_class_kernel(TensorIteratorBase& iter, FloatClass kind) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype)) {
    for_complex(dtype, "float_class_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [kind](c10::complex<T> z) -> bool {
        const double re = static_cast<double>(z.real());
        const double im = static_cast<double>(z.imag());
        return kind == FloatClass::NaN     ? std::isnan(re) || std::isnan(im)
            : kind == FloatClass::Infinite ? std::isinf(re) || std::isinf(im)
                                           : std::isfinite(re) && std::isfinite(im);
      });
    });
  } else if (c10::isFloat8Type(dtype)) {
    classify_float8(iter, kind);
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "float_class_cpu", [&]<typename T>(T) {
      vec_kernel<bool(T)>(iter, [kind](auto x) { return vec::to_bool(is_class(x, kind)); });
    });
  } else {
    const char answer = kind == FloatClass::Finite;
    iter.for_each_1d([answer](char** data, const int64_t* strides, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        data[0][i * strides[0]] = answer;
      }
    });
    iter.cast_outputs();
  }
}

} // namespace

REGISTER_DISPATCH(logical_not_stub, &logical_not_kernel)
REGISTER_DISPATCH(float_class_stub, &float_class_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
