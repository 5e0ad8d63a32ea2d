#pragma once

// Element-wise kernels of one operand, by a formula of x that real and complex numbers share.

#include <ATen/native/UnaryOps.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

// Defines a functor; further arguments are members, such as kResidentBlocks of Loops.cuh.
#define AT_FORMULA(Name, formula, ...)        \
  struct Name {                               \
    __VA_ARGS__                               \
    template <typename T>                     \
    C10_HOST_DEVICE T operator()(T x) const { \
      using namespace device_math;            \
      return formula;                         \
    }                                         \
  };

#define AT_COMPLEX_KERNEL(name, Op)                           \
  void name##_kernel_cuda(TensorIteratorBase& iter) {         \
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(              \
        kHalf, kBFloat16, iter.common_dtype(), #name "_cuda", \
        [&] { gpu_unary<scalar_t>(iter, Op()); });            \
  }
