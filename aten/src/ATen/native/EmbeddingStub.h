#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

struct EmbeddingBackwardJob {
  const void* rows; // [count, width], or one row per bag
  const int64_t* indices;
  void* out; // [num_weights, width], zeros
  int64_t count;
  int64_t width;
  int64_t num_weights;
  int64_t padding_idx;
  bool by_frequency;
  // For bags: the row of every index (those from `bags` on are skipped) and its factor, or null.
  const int64_t* row_of = nullptr;
  int64_t bags = 0;
  const double* factors = nullptr;
};

// out[indices[i]] += rows[i] for all indices but the padding. With by_frequency, each weight's rows
// are averaged. Returns false for an unsupported dtype.
using embedding_backward_fn = bool (*)(c10::ScalarType dtype, const EmbeddingBackwardJob& job);
DECLARE_DISPATCH(embedding_backward_fn, embedding_backward_stub);

// The numbers are those of embedding_bag's schema.
enum class BagMode { Sum, Mean, Max };

struct EmbeddingBagJob {
  const int64_t* indices;
  const int64_t* begins; // one more than there are bags, in the device's memory
  int64_t count, bags, num_weights, width, padding_idx;
  BagMode mode;
  const void* table;   // [num_weights, width]
  const void* factors; // one for each index, or null; only for sums
  void* out;           // [bags, width]
  int64_t* bag_of;     // the bag of each index, `bags` after the last one; null if not wanted (CPU)
  int64_t* sizes;      // the indices of each bag, without the padding
  int64_t* rows;       // the rows of the maxima, -1 in a bag without indices
};

// Sums, means or maxima of the rows of each bag.
using embedding_bag_fn = void (*)(c10::ScalarType dtype, const EmbeddingBagJob& job);
DECLARE_DISPATCH(embedding_bag_fn, embedding_bag_stub);

struct BagFactorJob {
  const void* grad;  // [bags, width]
  const void* table; // [num_weights, width]
  const int64_t *indices, *row_of;
  void* out; // [count]
  int64_t count, bags, num_weights, width, padding_idx;
};

// out[i] = the product of grad[row_of[i]] and table[indices[i]]: the gradients of the factors.
using bag_factor_fn = void (*)(c10::ScalarType dtype, const BagFactorJob& job);
DECLARE_DISPATCH(bag_factor_fn, bag_factor_stub);

} // namespace at::native
