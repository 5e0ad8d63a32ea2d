#include <ATen/core/Tensor.h>

#include <ATen/ops/embedding_native.h>
#include <ATen/ops/index_select.h>
#include <c10/util/DimVector.h>

namespace at::native {

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                 bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  const ScalarType dtype = indices.scalar_type();
  TORCH_CHECK(dtype == ScalarType::Long || dtype == ScalarType::Int,
              "Expected tensor for argument #1 'indices' to have one of the following scalar types: ",
              "Long, Int; but got torch.", c10::toString(dtype), "Tensor instead (while checking ",
              "arguments for embedding)");
  if (indices.dim() == 1) {
    return at::index_select(weight, 0, indices);
  }
  c10::DimVector shape(indices.sizes());
  shape.push_back(weight.size(1));
  return at::index_select(weight, 0, indices.reshape(-1)).view(shape);
}

} // namespace at::native
