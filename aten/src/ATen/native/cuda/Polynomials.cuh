#pragma once

// Kernels of orthogonal polynomials, in the type of the operands (16-bit floats in float).
// Recurrences are long formulas: several of them in one thread would be spilled. One file of
// kernels for each family of polynomials keeps the time short that nvcc takes for one.

#include <ATen/native/OrthogonalPolynomials.h>
#include <ATen/native/cuda/LongFormulas.cuh>

// Defines the operator `op` as the `function` of a family: polynomials::polynomial or
// polynomials::shifted.
#define AT_POLYNOMIAL(op, family, function)                                              \
  namespace {                                                                            \
  struct op##_formula {                                                                  \
    template <typename T>                                                                \
    C10_HOST_DEVICE T operator()(T x, T n) const {                                       \
      return polynomials::function<polynomials::family>(x, n);                           \
    }                                                                                    \
  };                                                                                     \
  }                                                                                      \
  TORCH_IMPL_FUNC(op##_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {          \
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, common_dtype(), #op "_cuda", [&] { \
      gpu_long_binary<scalar_t>(*this, op##_formula());                                  \
    });                                                                                  \
  }
