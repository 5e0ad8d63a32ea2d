// diag, diag_embed, diagflat and fill_diagonal_.

#include <ATen/core/Tensor.h>

#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diag_embed_native.h>
#include <ATen/ops/diag_native.h>
#include <ATen/ops/diagflat_native.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/fill_diagonal_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>

namespace at::native {

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t rank = self.dim() + 1;
  const int64_t first = maybe_wrap_dim(dim1, rank), second = maybe_wrap_dim(dim2, rank);
  TORCH_CHECK(first != second, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t length = self.size(-1);
  const int64_t side = length + std::abs(offset);
  DimVector sizes(self.sizes().begin(), self.sizes().end() - 1);
  sizes.insert(sizes.begin() + std::min(first, second), side);
  sizes.insert(sizes.begin() + std::max(first, second), side);
  Tensor result = at::zeros(sizes, self.options());
  at::methods::copy_(at::diagonal(result, offset, first, second), self);
  return result;
}

Tensor diag(const Tensor& self, int64_t diagonal) {
  TORCH_CHECK(
      self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ", self.dim(),
      "D");
  return self.dim() == 1 ? at::diag_embed(self, diagonal)
                         : at::clone(at::diagonal(self, diagonal), MemoryFormat::Contiguous);
}

Tensor diagflat(const Tensor& self, int64_t offset) {
  return at::diag_embed(at::reshape(self, {-1}), offset);
}

Tensor& fill_diagonal_(Tensor& self, const Scalar& fill_value, bool wrap) {
  TORCH_CHECK(self.dim() >= 2, "dimensions must larger than 1");
  const int64_t height = self.size(0), width = self.size(1);
  int64_t step = 0, shortest = height;
  for (int64_t d = 0; d < self.dim(); ++d) {
    TORCH_CHECK(
        self.dim() == 2 || self.size(d) == height,
        "all dimensions of input must be of equal length");
    step += self.stride(d);
    shortest = std::min(shortest, self.size(d));
  }
  Tensor diagonal = at::as_strided(self, {shortest}, {step}, self.storage_offset());
  at::methods::fill_(diagonal, fill_value);
  // A tall matrix has further diagonals, each one row below the end of the last.
  if (wrap && self.dim() == 2 && height > width + 1 && width > 0) {
    const int64_t period = (width + 1) * self.stride(0);
    for (int64_t row = width + 1; row < height; row += width + 1) {
      const int64_t start = self.storage_offset() + row / (width + 1) * period;
      Tensor next = at::as_strided(self, {std::min(width, height - row)}, {step}, start);
      at::methods::fill_(next, fill_value);
    }
  }
  return self;
}

} // namespace at::native
