#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/DimVector.h>
#include <c10/util/Exception.h>

namespace at {

// Throws an error that explains why `shape` cannot hold `numel` elements.
[[noreturn]] TORCH_API void infer_size_failed(IntArrayRef shape, int64_t numel);

// Resolves the one -1 that `shape` may contain so that the product of the sizes is `numel`. Writes
// the result to `out`, which has the length of `shape`.
inline void infer_size_into(IntArrayRef shape, int64_t numel, int64_t* out) {
  int64_t product = 1;
  int64_t inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = shape[i];
    out[i] = size;
    if (size == -1) {
      TORCH_CHECK(inferred < 0, "only one dimension can be inferred");
      inferred = static_cast<int64_t>(i);
    } else {
      TORCH_CHECK(
          size >= 0, "invalid shape dimension ", size, " at index ", i, " of shape ", shape);
      product *= size;
    }
  }
  if (inferred < 0 ? product == numel : product > 0 && numel % product == 0) {
    if (inferred >= 0) {
      out[inferred] = numel / product;
    }
    return;
  }
  infer_size_failed(shape, numel);
}

inline DimVector infer_size_dv(IntArrayRef shape, int64_t numel) {
  DimVector result(shape.size());
  infer_size_into(shape, numel, result.data());
  return result;
}

} // namespace at
