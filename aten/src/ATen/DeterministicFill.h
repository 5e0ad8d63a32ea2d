#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <utility>

namespace at {

// Fills a tensor whose elements nobody has written: with NaN, the largest integer, or True.
TORCH_API void fill_unwritten(const Tensor& tensor);

// Whether new memory is filled, so that programs that read it give the same results every time.
inline bool fills_new_memory() {
  const Context& context = globalContext();
  return context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory();
}

// The new tensor, filled if new memory is.
inline Tensor uninitialized(Tensor tensor) {
  if (fills_new_memory()) [[unlikely]] {
    fill_unwritten(tensor);
  }
  return tensor;
}

} // namespace at
