#pragma once

#include <ATen/core/Tensor.h>

namespace at::native {

// The keys that say how the elements of a tensor differ from what its storage holds: they are the
// conjugates, the negatives, or both.
constexpr c10::DispatchKeySet math_bits({DispatchKey::Conjugate, DispatchKey::Negative});

inline bool has_math_bits(const TensorBase& tensor) {
  return (tensor.key_set().raw_repr() & math_bits.raw_repr()) != 0;
}
inline bool have_math_bits(const TensorBase& a, const TensorBase& b) {
  return ((a.key_set() | b.key_set()).raw_repr() & math_bits.raw_repr()) != 0;
}

// Whether the host can read the elements where the storage holds them.
inline bool are_in_host_memory(const TensorBase& tensor) {
  constexpr uint64_t elsewhere = math_bits.add(DispatchKey::Python).raw_repr();
  return tensor.is_cpu() && (tensor.key_set().raw_repr() & elsewhere) == 0;
}

// A tensor over the same memory whose elements are what the storage holds. Autograd does not know
// it as a view.
TORCH_API Tensor without_math_bits(const TensorBase& tensor);

// Copies elements; at least one of the tensors has such a key. The shapes are the same, or the
// source's broadcasts to the target's.
void copy_with_math_bits(const TensorBase& target, const TensorBase& source, bool non_blocking);

} // namespace at::native
