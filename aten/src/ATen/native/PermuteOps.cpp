// Views that reorder, add or drop dimensions.

#include <ATen/native/MakeView.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/broadcast_to_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/expand_as_native.h>
#include <ATen/ops/expand_native.h>
#include <ATen/ops/mT_native.h>
#include <ATen/ops/numpy_T_native.h>
#include <ATen/ops/permute_native.h>
#include <ATen/ops/permute_ops.h>
#include <ATen/ops/squeeze_native.h>
#include <ATen/ops/t_native.h>
#include <ATen/ops/transpose_native.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/unsqueeze_native.h>
#include <c10/util/DimVector.h>

#include <utility>

namespace at::native {
namespace {

// Sizes and strides under construction; they rarely exceed the inline capacity.
struct Geometry {
  DimVector sizes;
  DimVector strides;

  explicit Geometry(const Tensor& self)
      : sizes(self.sizes().begin(), self.sizes().end()),
        strides(self.strides().begin(), self.strides().end()) {}
  Geometry() = default;

  void push(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  void swap_dims(int64_t a, int64_t b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  Tensor over(const Tensor& self) const {
    return make_view(self, sizes, strides, self.storage_offset());
  }
  Tensor& set_on(Tensor& self) const {
    self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    return self;
  }
};

template <typename Drop>
Geometry squeezed(const Tensor& self, Drop&& drop) {
  Geometry result;
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  for (int64_t dim = 0; dim < self.dim(); ++dim) {
    if (sizes[dim] != 1 || !drop(dim)) {
      result.push(sizes[dim], strides[dim]);
    }
  }
  return result;
}

Geometry squeezed_dim(const Tensor& self, int64_t dim) {
  dim = maybe_wrap_dim(dim, self.dim());
  return squeezed(self, [dim](int64_t candidate) { return candidate == dim; });
}

Geometry squeezed_dims(const Tensor& self, IntArrayRef dims) {
  const auto chosen = dim_list_to_bitset(dims, static_cast<size_t>(self.dim()));
  return squeezed(self, [&chosen](int64_t candidate) { return chosen[candidate]; });
}

Geometry unsqueezed(const Tensor& self, int64_t dim) {
  const int64_t ndim = self.dim();
  dim = maybe_wrap_dim(dim, ndim + 1);
  Geometry result(self);
  const int64_t stride = dim >= ndim ? 1 : result.sizes[dim] * result.strides[dim];
  result.sizes.insert(result.sizes.begin() + dim, 1);
  result.strides.insert(result.strides.begin() + dim, stride);
  return result;
}

void check_t(const Tensor& self, const char* name) {
  TORCH_CHECK(
      self.dim() <= 2, name, " expects a tensor with <= 2 dimensions, but self is ", self.dim(),
      "D");
}

} // namespace

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  const int64_t ndim = self.dim();
  dim0 = maybe_wrap_dim(dim0, ndim);
  dim1 = maybe_wrap_dim(dim1, ndim);
  Geometry result(self);
  if (dim0 != dim1) {
    result.swap_dims(dim0, dim1);
  }
  return result.over(self);
}

Tensor& transpose_(Tensor& self, int64_t dim0, int64_t dim1) {
  const int64_t ndim = self.dim();
  dim0 = maybe_wrap_dim(dim0, ndim);
  dim1 = maybe_wrap_dim(dim1, ndim);
  if (dim0 == dim1) {
    return self;
  }
  Geometry result(self);
  result.swap_dims(dim0, dim1);
  return result.set_on(self);
}

Tensor t(const Tensor& self) {
  check_t(self, "t()");
  return native::transpose(self, 0, self.dim() < 2 ? 0 : 1);
}

Tensor& t_(Tensor& self) {
  check_t(self, "t_()");
  return transpose_(self, 0, self.dim() < 2 ? 0 : 1);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  const int64_t ndim = self.dim();
  TORCH_CHECK(
      static_cast<int64_t>(dims.size()) == ndim,
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
      "the desired ordering of dimensions i.e. input.dim() = ",
      ndim, " is not equal to len(dims) = ", dims.size());
  const IntArrayRef sizes = self.sizes();
  const IntArrayRef strides = self.strides();
  Geometry result;
  TORCH_CHECK(ndim <= 64, "permute(): only tensors with up to 64 dims are supported");
  uint64_t seen = 0;
  for (const int64_t dim : dims) {
    const int64_t wrapped = maybe_wrap_dim(dim, ndim);
    const uint64_t bit = uint64_t{1} << wrapped;
    TORCH_CHECK((seen & bit) == 0, "permute(): duplicate dims are not allowed.");
    seen |= bit;
    result.push(sizes[wrapped], strides[wrapped]);
  }
  return result.over(self);
}

Tensor numpy_T(const Tensor& self) {
  const int64_t ndim = self.dim();
  if (ndim != 2 && ndim != 0) {
    TORCH_WARN_ONCE(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
        "deprecated and it will throw an error in a future release. Consider `x.mT` to transpose "
        "batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the "
        "dimensions of a tensor.");
  }
  DimVector reversed;
  for (int64_t dim = ndim - 1; dim >= 0; --dim) {
    reversed.push_back(dim);
  }
  return at::_ops::permute::call(self, reversed);
}

Tensor mT(const Tensor& self) {
  TORCH_CHECK(
      self.dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got ",
      self.dim(), "-D tensor.");
  return at::_ops::transpose_int::call(self, -2, -1);
}

Tensor squeeze(const Tensor& self) {
  return squeezed(self, [](int64_t) { return true; }).over(self);
}

Tensor squeeze(const Tensor& self, int64_t dim) {
  return squeezed_dim(self, dim).over(self);
}

Tensor squeeze(const Tensor& self, IntArrayRef dims) {
  return squeezed_dims(self, dims).over(self);
}

Tensor& squeeze_(Tensor& self) {
  return squeezed(self, [](int64_t) { return true; }).set_on(self);
}

Tensor& squeeze_(Tensor& self, int64_t dim) {
  return squeezed_dim(self, dim).set_on(self);
}

Tensor& squeeze_(Tensor& self, IntArrayRef dims) {
  return squeezed_dims(self, dims).set_on(self);
}

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  return unsqueezed(self, dim).over(self);
}

Tensor& unsqueeze_(Tensor& self, int64_t dim) {
  return unsqueezed(self, dim).set_on(self);
}

Tensor expand(const Tensor& self, IntArrayRef size, bool /*implicit*/) {
  const auto target = static_cast<int64_t>(size.size());
  const int64_t ndim = self.dim();
  TORCH_CHECK(
      target >= ndim, "expand(", self.toString(), "{", self.sizes(), "}, size=", size,
      "): the number of sizes provided (", target,
      ") must be greater or equal to the number of "
      "dimensions in the tensor (",
      ndim, ")");
  const IntArrayRef old_sizes = self.sizes();
  const IntArrayRef old_strides = self.strides();
  DimVector sizes(target);
  DimVector strides(target);
  for (int64_t i = target - 1; i >= 0; --i) {
    const int64_t dim = i - (target - ndim);
    const int64_t old_size = dim >= 0 ? old_sizes[dim] : 1;
    int64_t stride = dim >= 0 ? old_strides[dim]
        : i + 1 < target      ? sizes[i + 1] * strides[i + 1]
                              : 1;
    int64_t wanted = size[i];
    if (wanted == -1) {
      TORCH_CHECK(
          dim >= 0, "The expanded size of the tensor (", wanted,
          ") isn't allowed in a leading, non-existing dimension ", i);
      wanted = old_size;
    }
    if (wanted != old_size) {
      TORCH_CHECK(
          old_size == 1, "The expanded size of the tensor (", wanted,
          ") must match the existing size (", old_size, ") at non-singleton dimension ", i,
          ".  Target sizes: ", size, ".  Tensor sizes: ", old_sizes);
      stride = 0;
    }
    TORCH_CHECK(
        wanted >= 0, "Trying to create tensor with negative dimension ", wanted, ": ", size);
    sizes[i] = wanted;
    strides[i] = stride;
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor expand_as(const Tensor& self, const Tensor& other) {
  return at::methods::expand(self, other.sizes());
}

Tensor broadcast_to(const Tensor& self, IntArrayRef size) {
  return at::methods::expand(self, size);
}

} // namespace at::native
