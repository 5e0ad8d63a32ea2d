#include <ATen/ExpandUtils.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sum.h>

namespace at {

namespace {

template <typename Container>
Container broadcast_shapes(IntArrayRef a, IntArrayRef b) {
  const auto dims_a = static_cast<int64_t>(a.size());
  const auto dims_b = static_cast<int64_t>(b.size());
  const int64_t ndim = dims_a > dims_b ? dims_a : dims_b;
  Container result(ndim);
  for (int64_t i = ndim - 1; i >= 0; --i) {
    const int64_t offset = ndim - 1 - i;
    const int64_t dim_a = dims_a - 1 - offset;
    const int64_t dim_b = dims_b - 1 - offset;
    const int64_t size_a = dim_a >= 0 ? a[dim_a] : 1;
    const int64_t size_b = dim_b >= 0 ? b[dim_b] : 1;
    TORCH_CHECK(
        size_a == size_b || size_a == 1 || size_b == 1, "The size of tensor a (", size_a,
        ") must match the size of tensor b (", size_b, ") at non-singleton dimension ", i);
    result[i] = size_a == 1 ? size_b : size_a;
  }
  return result;
}

c10::MaybeOwned<Tensor> as_size(const Tensor& tensor, IntArrayRef sizes) {
  if (tensor.sizes() == sizes) {
    return c10::MaybeOwned<Tensor>::borrowed(tensor);
  }
  return c10::MaybeOwned<Tensor>::owned(at::methods::expand(tensor, sizes));
}

} // namespace

std::vector<int64_t> infer_size(IntArrayRef a, IntArrayRef b) {
  return broadcast_shapes<std::vector<int64_t>>(a, b);
}

DimVector infer_size_dimvector(IntArrayRef a, IntArrayRef b) {
  return broadcast_shapes<DimVector>(a, b);
}

bool is_expandable_to(IntArrayRef shape, IntArrayRef desired) {
  if (shape.size() > desired.size()) {
    return false;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = shape[shape.size() - 1 - i];
    if (size != 1 && size != desired[desired.size() - 1 - i]) {
      return false;
    }
  }
  return true;
}

bool are_expandable(IntArrayRef shape1, IntArrayRef shape2) {
  const size_t common = shape1.size() < shape2.size() ? shape1.size() : shape2.size();
  for (size_t i = 1; i <= common; ++i) {
    const int64_t a = shape1[shape1.size() - i];
    const int64_t b = shape2[shape2.size() - i];
    if (a != b && a != 1 && b != 1) {
      return false;
    }
  }
  return true;
}

ExpandGeometry inferExpandGeometry(
    IntArrayRef tensor_sizes, IntArrayRef tensor_strides, IntArrayRef sizes) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  const auto tensor_dim = static_cast<int64_t>(tensor_sizes.size());
  TORCH_CHECK(
      ndim >= tensor_dim, "The expanded size of the tensor (", sizes,
      ") must have at least as many dimensions as the tensor (", tensor_sizes, ")");
  ExpandGeometry result{DimVector(ndim), DimVector(ndim)};
  for (int64_t i = ndim - 1; i >= 0; --i) {
    const int64_t dim = tensor_dim - (ndim - i);
    int64_t size = dim >= 0 ? tensor_sizes[dim] : 1;
    int64_t stride = dim >= 0 ? tensor_strides[dim]
        : i + 1 < ndim        ? result.sizes[i + 1] * result.strides[i + 1]
                              : 1;
    int64_t target = sizes[i];
    if (target == -1) {
      TORCH_CHECK(
          dim >= 0, "The expanded size of the tensor (", target,
          ") isn't allowed in a leading, non-existing dimension ", i);
      target = size;
    }
    if (size != target) {
      TORCH_CHECK(
          size == 1, "The expanded size of the tensor (", target,
          ") must match the existing size (", size, ") at non-singleton dimension ", i,
          ".  Target sizes: ", sizes, ".  Tensor sizes: ", tensor_sizes);
      size = target;
      stride = 0;
    }
    result.sizes[i] = size;
    result.strides[i] = stride;
  }
  return result;
}

c10::MaybeOwned<Tensor> expand_size(const Tensor& tensor, IntArrayRef sizes) {
  TORCH_CHECK(tensor.defined(), "expand_size(...) called with an undefined Tensor");
  return as_size(tensor, sizes);
}

c10::MaybeOwned<Tensor> expand_inplace(
    const Tensor& tensor, const Tensor& to_expand, const char* /*api_name*/) {
  return as_size(to_expand, tensor.sizes());
}

std::tuple<c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>> expand_outplace(
    const Tensor& a, const Tensor& b, const char* /*api_name*/) {
  const DimVector shape = infer_size_dimvector(a.sizes(), b.sizes());
  return {as_size(a, shape), as_size(b, shape)};
}

std::tuple<c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>, c10::MaybeOwned<Tensor>>
expand_outplace(const Tensor& a, const Tensor& b, const Tensor& c, const char* /*api_name*/) {
  const DimVector ab = infer_size_dimvector(a.sizes(), b.sizes());
  const DimVector shape = infer_size_dimvector(ab, c.sizes());
  return {as_size(a, shape), as_size(b, shape), as_size(c, shape)};
}

// Undefined tensors are returned unchanged.
std::vector<Tensor> expand_outplace(ArrayRef<Tensor> tensors) {
  DimVector shape;
  bool first = true;
  for (const auto& tensor : tensors) {
    if (tensor.defined()) {
      shape = first ? DimVector(tensor.sizes().begin(), tensor.sizes().end())
                    : infer_size_dimvector(shape, tensor.sizes());
      first = false;
    }
  }
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    result.push_back(tensor.defined() ? Tensor(*as_size(tensor, shape)) : tensor);
  }
  return result;
}

Tensor sum_to(Tensor tensor, IntArrayRef shape, bool always_return_non_view) {
  const IntArrayRef sizes = tensor.sizes();
  if (sizes == shape) {
    return always_return_non_view ? at::clone(tensor) : tensor;
  }
  if (shape.empty()) {
    return at::sum(tensor);
  }
  const int64_t leading = tensor.dim() - static_cast<int64_t>(shape.size());
  DimVector repeated;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (i < leading || (shape[i - leading] == 1 && sizes[i] != 1)) {
      repeated.push_back(i);
    }
  }
  if (!repeated.empty()) {
    tensor = at::sum(tensor, repeated, /*keepdim=*/true);
  }
  if (leading == 0) {
    return tensor;
  }
  return always_return_non_view ? at::clone(at::reshape(tensor, shape))
                                : at::reshape(tensor, shape);
}

} // namespace at
