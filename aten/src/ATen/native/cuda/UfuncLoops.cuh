#pragma once

// What the generated kernels UfuncCUDA_*.cu need around a formula of ATen/native/ufunc.

#include <ATen/Dispatch.h>
#include <ATen/ScalarValue.h>
#include <ATen/UnroundedNumber.h>
#include <ATen/native/cuda/Loops.cuh>
#include <ATen/native/ufunc/Formula.h>

#include <optional>

namespace at::native::ufunc {

// An operand in host memory, which becomes part of the functor, because there it is not rounded to
// the 16-bit dtype of the kernel, as in PyTorch: Half can represent neither 0.1 nor 70000.
template <typename Compute>
std::optional<Compute> host_operand(const TensorIteratorBase& iter, int arg) {
  if (!loops::in_host_memory(iter, arg)) {
    return std::nullopt;
  }
  if (const float* number = unrounded_number(iter, arg)) {
    return convert_element<Compute>(*number);
  }
  return load_value<Compute>(iter.data_ptr(arg), loops::dtype_in_memory(iter, arg));
}

} // namespace at::native::ufunc
