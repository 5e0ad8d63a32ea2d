// addcmul and addcdiv.

#include <ATen/native/RankOne.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
complex_math<T> complex_scale(const Scalar& value) {
  const auto wide = value.to<c10::complex<double>>();
  return complex_math<T>(
      static_cast<at::opmath_type<T>>(wide.real()), static_cast<at::opmath_type<T>>(wide.imag()));
}

// self + value * a * b
void addcmul_kernel(TensorIteratorBase& iter, const Scalar& value) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype)) {
    for_complex(dtype, "addcmul_cpu_out", [&]<typename T>(T) {
      using Z = c10::complex<T>;
      const auto scale = complex_scale<T>(value);
      cpu_kernel(iter, [scale](Z self, Z a, Z b) -> Z {
        return narrow<T>(widen(self) + scale * widen(a) * widen(b));
      });
    });
    return;
  }
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "addcmul_cpu_out", [&]<typename T>(T) {
      const auto scale = value.to<vec::lane_type<T>>();
      vec_kernel<T(T, T, T)>(
          iter, [scale](auto self, auto a, auto b) { return vec::fma(scale * a, b, self); });
    });
    return;
  }
  for_integer(dtype, "addcmul_cpu_out", [&]<typename T>(T) {
    const auto scale = value.to<vec::lane_type<T>>();
    vec_kernel<T(T, T, T)>(
        iter, [scale](auto self, auto a, auto b) { return self + scale * a * b; });
  });
}

// beta * self + alpha * a * b, where `a` is usually one number for a row. It stays in a register,
// as in mul_kernel.
void rank_one_kernel(TensorIteratorBase& iter, double beta, double alpha) {
  const auto run = [&]<typename T>(T) {
    const auto scale = static_cast<T>(beta), value = static_cast<T>(alpha);
    const auto sum = [scale, value](auto self, auto a, auto b) {
      return scale * self + value * a * b;
    };
    iter.for_each_row(
        [&](char** data, const int64_t* strides, int64_t n) {
          if (strides[2] != 0) {
            using Triples = VecLoop<T(T, T, T), decltype(sum)>;
            return Triples::run(sum, data, strides, n, std::make_index_sequence<3>());
          }
          const T factor = value * load_element<T>(data[2]);
          const auto row_sum = [scale, factor](auto self, auto b) {
            return scale * self + factor * b;
          };
          char* rows[] = {data[0], data[1], data[3]};
          const int64_t steps[] = {strides[0], strides[1], strides[3]};
          using Pairs = VecLoop<T(T, T), decltype(row_sum)>;
          Pairs::run(row_sum, rows, steps, n, std::make_index_sequence<2>());
        },
        at::internal::GRAIN_SIZE);
    iter.cast_outputs();
  };
  iter.common_dtype() == kDouble ? run(double()) : run(float());
}

// self + value * a / b
void addcdiv_kernel(TensorIteratorBase& iter, const Scalar& value) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype) && dtype != kComplexHalf) {
    for_complex(dtype, "addcdiv_cpu_out", [&]<typename T>(T) {
      using Z = c10::complex<T>;
      const auto scale = complex_scale<T>(value);
      cpu_kernel(iter, [scale](Z self, Z a, Z b) -> Z {
        return narrow<T>(widen(self) + scale * widen(a) / widen(b));
      });
    });
    return;
  }
  for_floating(dtype, "addcdiv_cpu_out", [&]<typename T>(T) {
    const auto scale = value.to<vec::lane_type<T>>();
    vec_kernel<T(T, T, T)>(
        iter, [scale](auto self, auto a, auto b) { return self + scale * a / b; });
  });
}

} // namespace

REGISTER_DISPATCH(addcmul_stub, &addcmul_kernel)
REGISTER_DISPATCH(rank_one_stub, &rank_one_kernel)
REGISTER_DISPATCH(addcdiv_stub, &addcdiv_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
