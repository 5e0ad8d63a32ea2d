#include <ATen/TensorIndexing.h>

#include <ATen/ops/alias.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/util/Exception.h>

#include <string_view>

namespace at {

namespace indexing {

TensorIndex::TensorIndex(const char* dots) : TensorIndex(Ellipsis) {
  TORCH_CHECK_VALUE(
      std::string_view(dots) == "...",
      "Expected \"...\" to represent an ellipsis index, but got \"", dots, "\"");
}

namespace {

// The result of applying those indices that make a view, and an optional index tensor for each
// dimension of it.
struct Applied {
  Tensor view;
  c10::List<std::optional<Tensor>> indices;
};

bool is_mask(const Tensor& index) {
  return index.scalar_type() == ScalarType::Bool || index.scalar_type() == ScalarType::Byte;
}

int64_t consumed(const TensorIndex& index) {
  if (index.is_tensor()) {
    return is_mask(index.tensor()) ? index.tensor().dim() : 1;
  }
  return index.is_integer() || index.is_slice() ? 1 : 0;
}

void record(Applied& applied, int64_t& dim, const Tensor& index) {
  while (static_cast<int64_t>(applied.indices.size()) < dim) {
    applied.indices.push_back(std::nullopt);
  }
  applied.indices.push_back(index);
  ++dim;
}

// A mask selects by the coordinates of its true elements. A zero-dimensional mask adds a dimension.
void record_tensor(Applied& applied, int64_t& dim, const Tensor& index) {
  if (!is_mask(index) || index.dim() == 0) {
    if (is_mask(index)) {
      applied.view = at::unsqueeze(applied.view, dim);
    }
    record(applied, dim, index);
    return;
  }
  for (const Tensor& coordinates : at::unbind(at::nonzero(index), 1)) {
    record(applied, dim, coordinates);
  }
}

Applied apply(const Tensor& self, ArrayRef<TensorIndex> indices) {
  int64_t wanted = 0;
  for (const TensorIndex& index : indices) {
    wanted += consumed(index);
  }
  TORCH_CHECK_INDEX(wanted <= self.dim(), "too many indices for tensor of dimension ", self.dim());
  Applied applied{self, {}};
  int64_t dim = 0;
  for (const TensorIndex& index : indices) {
    switch (index.type()) {
      case TensorIndexType::Integer:
        applied.view = at::select(applied.view, dim, index.integer());
        break;
      case TensorIndexType::Slice:
        applied.view = at::slice(
            applied.view, dim, index.slice().start, index.slice().stop, index.slice().step);
        ++dim;
        break;
      case TensorIndexType::Ellipsis:
        dim += self.dim() - wanted;
        break;
      case TensorIndexType::None:
        applied.view = at::unsqueeze(applied.view, dim);
        ++dim;
        break;
      case TensorIndexType::Boolean:
        record_tensor(
            applied, dim,
            at::scalar_tensor(index.boolean(), self.options().dtype(ScalarType::Bool)));
        break;
      case TensorIndexType::Tensor:
        record_tensor(applied, dim, index.tensor());
        break;
    }
  }
  return applied;
}

} // namespace
} // namespace indexing

Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
  const auto applied = indexing::apply(*this, indices);
  if (!applied.indices.empty()) {
    return at::index(applied.view, applied.indices);
  }
  return applied.view.is_same(*this) ? at::alias(*this) : applied.view;
}

Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
  return index(ArrayRef<indexing::TensorIndex>(indices));
}

Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values) {
  auto applied = indexing::apply(*this, indices);
  if (applied.indices.empty()) {
    at::methods::copy_(applied.view, values);
  } else {
    at::methods::index_put_(applied.view, applied.indices, values);
  }
  return *this;
}

Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) {
  auto applied = indexing::apply(*this, indices);
  if (applied.indices.empty()) {
    at::methods::fill_(applied.view, value);
  } else {
    at::methods::index_put_(applied.view, applied.indices, at::scalar_tensor(value, options()));
  }
  return *this;
}

Tensor& Tensor::index_put_(
    std::initializer_list<indexing::TensorIndex> indices, const Tensor& values) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), values);
}

Tensor& Tensor::index_put_(
    std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
}

} // namespace at
