#pragma once

// How a kernel that is compiled at run time is launched on the emulated device. The emulated NVRTC
// makes a shared library of the host from the kernel's source, and adds an entry to it that unpacks
// the arguments of cuLaunchKernel.

#include <c10/cuda/CUDALaunch.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace cuda_emulation {

// A library starts with its size, so that an image needs no length.
struct ImageHeader {
  char magic[8];
  uint64_t bytes;
};
constexpr char kImageMagic[8] = {'E', 'M', 'U', 'C', 'U', 'D', 'A', '1'};
// The symbol of a kernel's RuntimeKernel is this and the kernel's lowered name.
constexpr char kEntryPrefix[] = "cuda_emulation_entry_";

// What CUfunction points to.
struct RuntimeKernel {
  const void* code;
  int (*launch)(
      const void* code, dim3 grid, dim3 block, size_t shared, cudaStream_t, void** arguments);
  const size_t* parameter_bytes;
  size_t parameter_count;
};

template <typename... Parameters>
struct Unpacked {
  static constexpr size_t bytes[] = {sizeof(Parameters)..., 0};

  static int launch(
      const void* code, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
      void** arguments) {
    return launch(
        code, grid, block, shared, stream, arguments, std::index_sequence_for<Parameters...>());
  }

 private:
  template <size_t... i>
  static int launch(
      const void* code, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
      [[maybe_unused]] void** arguments, std::index_sequence<i...>) {
    const auto kernel = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(code));
    return at::cuda::launch(
        kernel, grid, block, shared, stream, *static_cast<Parameters*>(arguments[i])...);
  }
};

template <typename... Parameters>
RuntimeKernel describe(void (*kernel)(Parameters...)) {
  return {
      reinterpret_cast<const void*>(kernel), &Unpacked<Parameters...>::launch,
      Unpacked<Parameters...>::bytes, sizeof...(Parameters)};
}

} // namespace cuda_emulation
