#pragma once

// A batch of matrices as the libraries of batched routines take it: addresses in device memory.

#include <ATen/core/Tensor.h>
#include <ATen/native/LinalgBatch.h>
#include <ATen/native/cuda/LaunchUtils.cuh>

#include <ATen/ops/empty.h>

namespace at::native {

inline int64_t area(const Tensor& matrices) {
  return matrices.size(-1) * matrices.size(-2);
}

template <typename T>
void write_addresses(T** to, T* first, int64_t step, int64_t count) {
  for_each_index(count, [=] C10_DEVICE(int64_t i) { to[i] = first + i * step; });
}

// The addresses of the matrices of a batch, in device memory.
template <typename T>
struct Pointers {
  explicit Pointers(const Tensor& matrices)
      : memory(at::empty({batch_count(matrices)}, matrices.options().dtype(kLong))) {
    write_addresses(data(), matrices.mutable_data_ptr<T>(), area(matrices), memory.numel());
  }
  T** data() const { return static_cast<T**>(memory.mutable_data_ptr()); }
  Tensor memory;
};

} // namespace at::native
