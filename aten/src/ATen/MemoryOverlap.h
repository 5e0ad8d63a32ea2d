#pragma once

#include <c10/macros/Export.h>

namespace c10 {
struct TensorImpl;
}

namespace at {

class TensorBase;

// Whether two different indices of the tensor reach the same element.
enum class MemOverlap { No, Yes, TooHard };

// How the memory of two tensors relates. Full: the same elements in the same order.
enum class MemOverlapStatus { Full, Partial, No, TooHard };

TORCH_API MemOverlap has_internal_overlap(const TensorBase& tensor);
TORCH_API MemOverlap has_internal_overlap(c10::TensorImpl* tensor);
TORCH_API void assert_no_internal_overlap(const TensorBase& tensor);
TORCH_API void assert_no_internal_overlap(c10::TensorImpl* tensor);

TORCH_API MemOverlapStatus get_overlap_status(const TensorBase& a, const TensorBase& b);
TORCH_API MemOverlapStatus get_overlap_status(const c10::TensorImpl* a, const c10::TensorImpl* b);
TORCH_API void assert_no_partial_overlap(const TensorBase& a, const TensorBase& b);
TORCH_API void assert_no_partial_overlap(c10::TensorImpl* a, c10::TensorImpl* b);
TORCH_API void assert_no_overlap(const TensorBase& a, const TensorBase& b);
TORCH_API void assert_no_overlap(c10::TensorImpl* a, c10::TensorImpl* b);

} // namespace at
