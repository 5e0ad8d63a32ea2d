#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/WrapDimMinimal.h>

namespace at::native {

// A contiguous tensor as [rows, n, inner], of which a scan follows the middle dimension.
struct ScanSizes {
  int64_t rows = 1;
  int64_t n = 1;
  int64_t inner = 1;
};

inline ScanSizes scan_sizes(const Tensor& self, int64_t dim) {
  ScanSizes sizes;
  if (self.dim() == 0) {
    return sizes;
  }
  dim = c10::maybe_wrap_dim(dim, self.dim());
  sizes.n = self.size(dim);
  for (int64_t d = 0; d < self.dim(); ++d) {
    (d < dim ? sizes.rows : sizes.inner) *= d == dim ? 1 : self.size(d);
  }
  return sizes;
}

} // namespace at::native
