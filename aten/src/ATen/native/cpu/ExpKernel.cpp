// exp, expm1, sigmoid and tanh.

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/UnaryLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void exp_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "exp_vml_cpu", [](auto x) { return vec::exp(x); }, [](auto z) { return std::exp(z); });
}

void expm1_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "expm1_vml_cpu", [](auto x) { return vec::expm1(x); },
      [](auto z) { return std::expm1(z); });
}

void sigmoid_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "sigmoid_cpu", [](auto x) { return vec::sigmoid(x); },
      [](auto z) { return decltype(z)(1) / (decltype(z)(1) + std::exp(-z)); });
}

void tanh_kernel(TensorIteratorBase& iter) {
  float_unary(
      iter, "tanh_vml_cpu", [](auto x) { return vec::tanh(x); },
      [](auto z) { return std::tanh(z); });
}

} // namespace

REGISTER_DISPATCH(exp_stub, &exp_kernel)
REGISTER_DISPATCH(expm1_stub, &expm1_kernel)
REGISTER_DISPATCH(sigmoid_stub, &sigmoid_kernel)
REGISTER_DISPATCH(tanh_stub, &tanh_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
