#pragma once
// Runs kernels on the current CUDA device, in its current stream. A kernel is the one that runs on
// the CPU by th::Host; a failed check ends it, and shows at a later call of the runtime.
#include <TH/THTensorApply.h>

#include <ATen/native/cuda/Atomic.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDADeviceAssert.h>

namespace thc {

struct Device {
  static constexpr c10::DeviceType type = at::kCUDA;

  template <typename Kernel>
  static void for_each(int64_t count, const Kernel& kernel) {
    at::native::for_each_index(count, kernel);
  }

  template <typename T>
  C10_DEVICE static void add(T* sum, T value) {
    at::native::gpuAtomicAdd(sum, value);
  }
  template <typename... Values>
  C10_DEVICE static void check(bool condition, const char*, const Values&...) {
    CUDA_KERNEL_ASSERT(condition && "a value is out of range");
  }
  C10_DEVICE static void check_index(int64_t index, int64_t size) {
    CUDA_KERNEL_ASSERT(index >= 0 && index < size && "index is out of bounds");
  }
};

} // namespace thc
