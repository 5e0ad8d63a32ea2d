#pragma once

// A formula is a functor over the type that arithmetic uses; these make element-wise kernels of it
// for a dtype. The 16-bit floats are computed in float.
//
//   struct Exp { template <typename T> C10_HOST_DEVICE T operator()(T x) const { return
//   std::exp(x); } }; gpu_unary<scalar_t>(iter, Exp());

#include <ATen/Dispatch.h>
#include <ATen/ScalarValue.h>
#include <ATen/UnroundedNumber.h>
#include <ATen/native/MathType.h>
#include <ATen/native/cuda/Loops.cuh>
#include <c10/core/Scalar.h>

namespace at::native {

template <typename T>
math_type<T> math_value(const Scalar& number) {
  return number.to<math_type<T>>();
}

// A formula may ask for kResidentBlocks<T> of Loops.cuh, by the dtype of its operand.
template <typename Op, typename T>
constexpr int resident_blocks() {
  if constexpr (requires { Op::template kResidentBlocks<T>; }) {
    return Op::template kResidentBlocks<T>;
  } else {
    return 0;
  }
}

template <typename R, typename T, typename Op>
struct UnaryFunctor {
  static constexpr int kResidentBlocks = resident_blocks<Op, T>();
  Op op;
  C10_HOST_DEVICE R operator()(T a) const {
    return convert_element<R>(op(convert_element<math_type<T>>(a)));
  }
};
template <typename R, typename T, typename Op>
struct BinaryFunctor {
  Op op;
  C10_HOST_DEVICE R operator()(T a, T b) const {
    using M = math_type<T>;
    return convert_element<R>(op(convert_element<M>(a), convert_element<M>(b)));
  }
};
template <typename R, typename T, typename Op>
struct TernaryFunctor {
  Op op;
  C10_HOST_DEVICE R operator()(T a, T b, T c) const {
    using M = math_type<T>;
    return convert_element<R>(
        op(convert_element<M>(a), convert_element<M>(b), convert_element<M>(c)));
  }
};
// With a number that is not rounded to the dtype.
template <typename T, typename Op>
struct RightNumberFunctor {
  Op op;
  math_type<T> right;
  C10_HOST_DEVICE T operator()(T a) const {
    return convert_element<T>(op(convert_element<math_type<T>>(a), right));
  }
};

template <typename T, typename Op>
void gpu_unary(TensorIteratorBase& iter, const Op& op) {
  gpu_kernel(iter, UnaryFunctor<T, T, Op>{op});
}
template <typename T, typename Op>
void gpu_binary(TensorIteratorBase& iter, const Op& op) {
  gpu_kernel(iter, BinaryFunctor<T, T, Op>{op});
}
template <typename T, typename Op>
void gpu_ternary(TensorIteratorBase& iter, const Op& op) {
  gpu_kernel(iter, TernaryFunctor<T, T, Op>{op});
}
template <typename T, typename Op>
void gpu_predicate(TensorIteratorBase& iter, const Op& op) {
  gpu_kernel(iter, UnaryFunctor<bool, T, Op>{op});
}
template <typename T, typename Op>
void gpu_comparison(TensorIteratorBase& iter, const Op& op) {
  gpu_kernel(iter, BinaryFunctor<bool, T, Op>{op});
}

// A number on the right of 16-bit floats is not rounded to them first, as in PyTorch: Half can
// represent neither 0.1 nor 70000.
template <typename T, typename Op>
void gpu_binary_unrounded(TensorIteratorBase& iter, const Op& op) {
  if constexpr (!std::is_same_v<T, math_type<T>> && sizeof(T) == 2) {
    if (const float* number = unrounded_number(iter, 2)) {
      const float right = *number;
      iter.remove_operand(2);
      gpu_kernel(iter, RightNumberFunctor<T, Op>{op, right});
      return;
    }
  }
  gpu_binary<T>(iter, op);
}

} // namespace at::native
