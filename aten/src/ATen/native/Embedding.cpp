#include <ATen/ops/embedding_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view.h>

#include <c10/core/DimVector.h>

namespace at::native {

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool) {
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  TORCH_CHECK(
      indices.scalar_type() == kLong || indices.scalar_type() == kInt,
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
      "Int; but got ",
      indices.toString(), " instead (while checking arguments for embedding)");
  if (indices.dim() == 1) {
    return at::index_select(weight, 0, indices);
  }
  c10::DimVector sizes(indices.sizes());
  sizes.push_back(weight.size(1));
  return at::methods::view(at::index_select(weight, 0, at::reshape(indices, {-1})), sizes);
}

} // namespace at::native
