#include <ATen/MemoryOverlap.h>

#include <ATen/core/TensorBase.h>
#include <c10/core/TensorImpl.h>

namespace at {

MemOverlap has_internal_overlap(const TensorBase& tensor) {
  return has_internal_overlap(tensor.unsafeGetTensorImpl());
}

MemOverlap has_internal_overlap(c10::TensorImpl* tensor) {
  if (tensor->is_non_overlapping_and_dense()) {
    return MemOverlap::No;
  }
  const auto sizes = tensor->sizes();
  const auto strides = tensor->strides();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] == 0 && sizes[i] > 1) {
      return MemOverlap::Yes;
    }
  }
  return MemOverlap::TooHard;
}

void assert_no_internal_overlap(const TensorBase& tensor) {
  assert_no_internal_overlap(tensor.unsafeGetTensorImpl());
}

void assert_no_internal_overlap(c10::TensorImpl* tensor) {
  TORCH_CHECK(
      has_internal_overlap(tensor) != MemOverlap::Yes,
      "unsupported operation: more than one element of the written-to tensor refers to a "
      "single memory location. Please clone() the tensor before performing the operation.");
}

MemOverlapStatus get_overlap_status(const TensorBase& a, const TensorBase& b) {
  return get_overlap_status(a.unsafeGetTensorImpl(), b.unsafeGetTensorImpl());
}

MemOverlapStatus get_overlap_status(const c10::TensorImpl* a, const c10::TensorImpl* b) {
  if (a == b) {
    return MemOverlapStatus::Full;
  }
  if (a->numel() == 0 || b->numel() == 0) {
    return MemOverlapStatus::No;
  }
  const auto* a_storage = a->unsafe_storage().unsafeGetStorageImpl();
  if (a_storage == nullptr || a_storage != b->unsafe_storage().unsafeGetStorageImpl()) {
    return MemOverlapStatus::No;
  }
  // Without dense memory, the extents do not determine which elements are touched.
  if (!a->is_non_overlapping_and_dense() || !b->is_non_overlapping_and_dense()) {
    return MemOverlapStatus::TooHard;
  }
  const auto a_begin = a->storage_offset() * static_cast<int64_t>(a->itemsize());
  const auto b_begin = b->storage_offset() * static_cast<int64_t>(b->itemsize());
  const auto a_end = a_begin + a->numel() * static_cast<int64_t>(a->itemsize());
  const auto b_end = b_begin + b->numel() * static_cast<int64_t>(b->itemsize());
  if (a_begin == b_begin && a_end == b_end) {
    return a->strides() == b->strides() ? MemOverlapStatus::Full : MemOverlapStatus::Partial;
  }
  return a_begin < b_end && b_begin < a_end ? MemOverlapStatus::Partial : MemOverlapStatus::No;
}

void assert_no_partial_overlap(const TensorBase& a, const TensorBase& b) {
  assert_no_partial_overlap(a.unsafeGetTensorImpl(), b.unsafeGetTensorImpl());
}

void assert_no_partial_overlap(c10::TensorImpl* a, c10::TensorImpl* b) {
  TORCH_CHECK(
      get_overlap_status(a, b) != MemOverlapStatus::Partial,
      "unsupported operation: some elements of the input tensor and the written-to tensor "
      "refer to a single memory location. Please clone() the tensor before performing the "
      "operation.");
}

void assert_no_overlap(const TensorBase& a, const TensorBase& b) {
  assert_no_overlap(a.unsafeGetTensorImpl(), b.unsafeGetTensorImpl());
}

void assert_no_overlap(c10::TensorImpl* a, c10::TensorImpl* b) {
  const auto status = get_overlap_status(a, b);
  TORCH_CHECK(
      status != MemOverlapStatus::Partial && status != MemOverlapStatus::Full,
      "unsupported operation: some elements of the input tensor and the written-to tensor "
      "refer to a single memory location. Please clone() the tensor before performing the "
      "operation.");
}

} // namespace at
