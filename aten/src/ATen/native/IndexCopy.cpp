#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_copy_native.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/view.h>

namespace at::native {

namespace {

void check_index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  TORCH_CHECK_INDEX(
      index.dim() < 2, "index_copy_(): Index should have dimension 1 or 0 (got ", index.dim(), ")");
  TORCH_CHECK_INDEX(
      source.dim() > 0 || index.numel() == 1,
      "index_copy_(): When source is scalar, index should have one element (got ", index.numel(),
      ")");
  TORCH_CHECK_INDEX(
      source.dim() == self.dim() || source.dim() == 0 || self.dim() == 0,
      "index_copy_(): When source and destination are not scalars, their dimensionality must "
      "match. Source dimensionality (",
      source.dim(), "), destination dimensionality (", self.dim(), ")");
  TORCH_CHECK(
      index.scalar_type() == kLong, "index_copy_(): Expected a long tensor for index, but got ",
      index.scalar_type());
  TORCH_CHECK(
      self.scalar_type() == source.scalar_type(),
      "index_copy_(): self and source expected to have the same dtype, but got (self) ",
      self.scalar_type(), " and (source) ", source.scalar_type());
  if (self.dim() > 0 && source.dim() > 0) {
    for (int64_t i = 0; i < self.dim(); ++i) {
      TORCH_CHECK(
          i == dim || self.size(i) == source.size(i),
          "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
          "shape: ",
          self.sizes(), " at dimension ", dim, " and source slice shape: ", source.sizes(),
          " at dimension 0.");
    }
    TORCH_CHECK_INDEX(
        index.numel() == source.size(dim), "index_copy_(): Number of indices (", index.numel(),
        ") should be equal to source.size(dim) (", source.size(dim), ")");
  }
}

// Unlike index_put, index_copy does not count negative positions from the end.
void check_positions(const Tensor& self, int64_t dim, const Tensor& index) {
  if (!index.is_cpu()) {
    return;
  }
  const Tensor positions = index.contiguous();
  const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  const int64_t* data = positions.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < positions.numel(); ++i) {
    TORCH_CHECK_INDEX(
        data[i] >= 0 && data[i] < size, "index_copy_(): index ", data[i],
        " is out of bounds for dimension ", dim, " with size ", size);
  }
}

} // namespace

Tensor& index_copy_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = maybe_wrap_dim(dim, self.dim());
  check_index_copy(self, dim, index, source);
  at::assert_no_internal_overlap(self);
  check_positions(self, dim, index);
  c10::List<std::optional<Tensor>> indices;
  indices.push_back(at::reshape(index, {-1}));
  if (self.dim() == 0) {
    at::methods::index_put_(at::methods::view(self, {1}), indices, at::reshape(source, {-1}));
    return self;
  }
  Tensor rows = at::transpose(self, 0, dim);
  at::methods::index_put_(
      rows, indices, source.dim() == 0 ? source : at::transpose(source, 0, dim));
  return self;
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  return at::methods::index_copy_(at::clone(self, MemoryFormat::Contiguous), dim, index, source);
}

Tensor& index_copy_out(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Tensor& out) {
  at::methods::copy_(at::methods::resize_(out, self.sizes()), self);
  return at::methods::index_copy_(out, dim, index, source);
}

} // namespace at::native
