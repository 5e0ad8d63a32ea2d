#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

struct EmbeddingBackwardJob {
  const void* rows; // [count, width]
  const int64_t* indices;
  void* out; // [num_weights, width], zeros
  int64_t count;
  int64_t width;
  int64_t num_weights;
  int64_t padding_idx;
  bool by_frequency;
};

// out[indices[i]] += rows[i] for all indices but the padding. With by_frequency, each weight's rows
// are averaged. Returns false for an unsupported dtype.
using embedding_backward_fn = bool (*)(c10::ScalarType dtype, const EmbeddingBackwardJob& job);
DECLARE_DISPATCH(embedding_backward_fn, embedding_backward_stub);

} // namespace at::native
