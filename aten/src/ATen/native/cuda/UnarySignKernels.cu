// abs, neg, sign, rounding, complements, and predicates of one number.

#include <ATen/Dispatch_v2.h>
#include <ATen/NumericUtils.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <cmath>

namespace at::native {
namespace {

struct Abs {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x < T(0) ? static_cast<T>(-x) : x;
    } else {
      return std::abs(x);
    }
  }
};
struct Neg {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(-x);
  }
};
// The sign of NaN is 0, because both comparisons are false.
struct Sign {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>((T(0) < x) - (x < T(0)));
  }
};
struct Floor {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return std::floor(x);
  }
};
struct Ceil {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return std::ceil(x);
  }
};
struct Trunc {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return std::trunc(x);
  }
};
// To the nearest even number.
struct Round {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return std::nearbyint(x);
  }
};
// A negative number of decimals rounds to tens, hundreds, ...
struct RoundDecimals {
  double power;
  bool left;
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    const T scale = static_cast<T>(power);
    const T rounded = std::nearbyint(left ? x / scale : x * scale);
    return left ? rounded * scale : rounded / scale;
  }
};
struct Complement {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(~x);
  }
  C10_HOST_DEVICE bool operator()(bool x) const { return !x; }
};
struct Not {
  template <typename T>
  C10_HOST_DEVICE bool operator()(T x) const {
    return x == T(0);
  }
};
struct IsClass {
  FloatClass kind;
  template <typename T>
  C10_HOST_DEVICE bool operator()(T x) const {
    if constexpr (c10::is_complex<T>::value) {
      const bool real = (*this)(x.real()), imaginary = (*this)(x.imag());
      return kind == FloatClass::Finite ? real && imaginary : real || imaginary;
    } else if constexpr (std::is_integral_v<T>) {
      return kind == FloatClass::Finite;
    } else {
      return kind == FloatClass::NaN     ? x != x
          : kind == FloatClass::Infinite ? std::isinf(x)
                                         : std::isfinite(x);
    }
  }
};
// z / |z|, and 0 for z = 0.
struct Direction {
  template <typename T>
  C10_HOST_DEVICE T operator()(T z) const {
    const auto size = device_math::absolute(z);
    return size == 0 ? T() : T(z.real() / size, z.imag() / size);
  }
};
struct Conjugate {
  template <typename T>
  C10_HOST_DEVICE T operator()(T z) const {
    return T(z.real(), -z.imag());
  }
};
struct Magnitude {
  template <typename T>
  C10_HOST_DEVICE auto operator()(T z) const {
    return device_math::absolute(z);
  }
};

void abs_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "abs_cuda", [&] { gpu_unary<scalar_t>(iter, Abs()); });
}
void abs_complex_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_SWITCH(
      loops::dtype_in_memory(iter, 1), "abs_cuda", AT_DISPATCH_CASE_COMPLEX_TYPES([&] {
        gpu_kernel(
            iter, UnaryFunctor<typename scalar_t::value_type, scalar_t, Magnitude>{Magnitude()});
      }) AT_DISPATCH_CASE(kComplexHalf, [&] {
        gpu_kernel(iter, UnaryFunctor<c10::Half, scalar_t, Magnitude>{Magnitude()});
      }));
}
void neg_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kHalf, kBFloat16, kComplexHalf, iter.common_dtype(), "neg_cuda",
      [&] { gpu_unary<scalar_t>(iter, Neg()); });
}
void sign_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, iter.common_dtype(), "sign_cuda", [&] {
    gpu_unary<scalar_t>(iter, Sign());
  });
}

template <typename Op>
void rounding(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_unary<scalar_t>(iter, op); });
}
void floor_kernel_cuda(TensorIteratorBase& iter) {
  rounding(iter, "floor_cuda", Floor());
}
void ceil_kernel_cuda(TensorIteratorBase& iter) {
  rounding(iter, "ceil_cuda", Ceil());
}
void trunc_kernel_cuda(TensorIteratorBase& iter) {
  rounding(iter, "trunc_cuda", Trunc());
}
void round_kernel_cuda(TensorIteratorBase& iter) {
  rounding(iter, "round_cuda", Round());
}
void round_decimals_kernel_cuda(TensorIteratorBase& iter, int64_t decimals) {
  const double power = std::pow(10.0, static_cast<double>(decimals < 0 ? -decimals : decimals));
  rounding(iter, "round_cuda", RoundDecimals{power, decimals < 0});
}

void bitwise_not_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_INTEGRAL_TYPES_AND(kBool, iter.common_dtype(), "bitwise_not_cuda", [&] {
    gpu_unary<scalar_t>(iter, Complement());
  });
}
void logical_not_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kHalf, kBFloat16, kBool, iter.common_dtype(), "logical_not_cuda",
      [&] { gpu_predicate<scalar_t>(iter, Not()); });
}
void float_class_kernel_cuda(TensorIteratorBase& iter, FloatClass kind) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "float_class_cuda",
      AT_WRAP([&] { gpu_predicate<scalar_t>(iter, IsClass{kind}); }),
      AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), kComplexHalf,
      kHalf, kBFloat16, kBool);
}

void sgn_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_SWITCH(
      iter.common_dtype(), "sgn_cuda", AT_DISPATCH_CASE_COMPLEX_TYPES([&] {
        gpu_unary<scalar_t>(iter, Direction());
      }) AT_DISPATCH_CASE(kComplexHalf, [&] { gpu_unary<scalar_t>(iter, Direction()); }));
}
void conj_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_SWITCH(
      iter.common_dtype(), "conj_cuda", AT_DISPATCH_CASE_COMPLEX_TYPES([&] {
        gpu_unary<scalar_t>(iter, Conjugate());
      }) AT_DISPATCH_CASE(kComplexHalf, [&] { gpu_unary<scalar_t>(iter, Conjugate()); }));
}

} // namespace

REGISTER_CUDA_DISPATCH(abs_stub, &abs_kernel_cuda)
REGISTER_CUDA_DISPATCH(abs_complex_stub, &abs_complex_kernel_cuda)
REGISTER_CUDA_DISPATCH(neg_stub, &neg_kernel_cuda)
REGISTER_CUDA_DISPATCH(sign_stub, &sign_kernel_cuda)
REGISTER_CUDA_DISPATCH(floor_stub, &floor_kernel_cuda)
REGISTER_CUDA_DISPATCH(ceil_stub, &ceil_kernel_cuda)
REGISTER_CUDA_DISPATCH(trunc_stub, &trunc_kernel_cuda)
REGISTER_CUDA_DISPATCH(round_stub, &round_kernel_cuda)
REGISTER_CUDA_DISPATCH(round_decimals_stub, &round_decimals_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_not_stub, &bitwise_not_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_not_stub, &logical_not_kernel_cuda)
REGISTER_CUDA_DISPATCH(float_class_stub, &float_class_kernel_cuda)
REGISTER_CUDA_DISPATCH(sgn_complex_stub, &sgn_kernel_cuda)
REGISTER_CUDA_DISPATCH(conj_complex_stub, &conj_kernel_cuda)

} // namespace at::native
