#include <ATen/core/Tensor.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/movedim_native.h>
#include <ATen/ops/permute.h>

namespace at::native {

namespace {

// Moves each given dimension to its destination; the others keep their order in the remaining
// places.
DimVector order_after_move(int64_t rank, IntArrayRef source, IntArrayRef destination) {
  DimVector order(rank, -1);
  c10::SmallVector<bool, 8> moved(rank, false);
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = maybe_wrap_dim(source[i], rank);
    const int64_t to = maybe_wrap_dim(destination[i], rank);
    TORCH_CHECK(!moved[from], "movedim: repeated dim in `source` (", source, ")");
    TORCH_CHECK(order[to] == -1, "movedim: repeated dim in `destination` (", destination, ")");
    moved[from] = true;
    order[to] = from;
  }
  int64_t next = 0;
  for (int64_t& place : order) {
    if (place == -1) {
      while (moved[next]) {
        ++next;
      }
      place = next++;
    }
  }
  return order;
}

} // namespace

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  TORCH_CHECK(
      source.size() == destination.size(), "movedim: Invalid source or destination dims: source (",
      source, " dims) should contain the same number of dims as destination (", destination,
      " dims)");
  if (self.dim() == 0) {
    for (const IntArrayRef dims : {source, destination}) {
      for (const int64_t dim : dims) {
        maybe_wrap_dim(dim, 0);
      }
    }
    return at::alias(self);
  }
  return at::permute(self, order_after_move(self.dim(), source, destination));
}

Tensor movedim(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, IntArrayRef(source), IntArrayRef(destination));
}

} // namespace at::native
