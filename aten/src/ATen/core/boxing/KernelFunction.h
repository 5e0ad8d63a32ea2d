#pragma once

#include <ATen/core/boxing/BoxedKernel.h>

namespace c10 {

// A registered kernel: unboxed, boxed or both; or a marker to skip the key.
struct KernelFunction {
  KernelPtr unboxed = nullptr;
  BoxedKernel boxed;
  bool is_fallthrough = false;

  bool isValid() const { return unboxed != nullptr || boxed.isValid() || is_fallthrough; }

  static KernelFunction makeFallthrough() {
    KernelFunction kernel;
    kernel.is_fallthrough = true;
    return kernel;
  }
};

} // namespace c10
