// Views that interpret the same bytes as another dtype.

#include <ATen/native/MakeView.h>

#include <ATen/ops/_conj.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/imag_native.h>
#include <ATen/ops/real_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/util/DimVector.h>

namespace at::native {
namespace {

Tensor view_as_narrower(const Tensor& self, ScalarType dtype, int64_t ratio) {
  TORCH_CHECK(
      self.stride(-1) == 1, "self.stride(-1) must be 1 to view ", self.scalar_type(), " as ", dtype,
      " (different element sizes), but got ", self.stride(-1));
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  for (int64_t& stride : strides) {
    stride *= ratio;
  }
  sizes.back() *= ratio;
  strides.back() = 1;
  return make_view_as(self, dtype, sizes, strides, self.storage_offset() * ratio);
}

Tensor view_as_wider(const Tensor& self, ScalarType dtype, int64_t ratio) {
  const int64_t last = self.dim() - 1;
  TORCH_CHECK(
      self.size(last) % ratio == 0, "self.size(-1) must be divisible by ", ratio, " to view ",
      self.scalar_type(), " as ", dtype, " (different element sizes), but got ", self.size(last));
  TORCH_CHECK(
      self.storage_offset() % ratio == 0, "self.storage_offset() must be divisible by ", ratio,
      " to view ", self.scalar_type(), " as ", dtype, " (different element sizes), but got ",
      self.storage_offset());
  TORCH_CHECK(
      self.stride(last) == 1, "self.stride(-1) must be 1 to view ", self.scalar_type(), " as ",
      dtype, " (different element sizes), but got ", self.stride(last));
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  for (int64_t dim = 0; dim < last; ++dim) {
    TORCH_CHECK(
        strides[dim] % ratio == 0, "self.stride(", dim, ") must be divisible by ", ratio,
        " to view ", self.scalar_type(), " as ", dtype, " (different element sizes), but got ",
        strides[dim]);
    strides[dim] /= ratio;
  }
  sizes.back() /= ratio;
  strides.back() = 1;
  return make_view_as(self, dtype, sizes, strides, self.storage_offset() / ratio);
}

} // namespace

Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  TORCH_CHECK(
      !self.is_conj(),
      "torch.Tensor.view is not supported for conjugate view tensors when converting to a "
      "different dtype.");
  TORCH_CHECK(
      !self.is_neg(),
      "torch.Tensor.view is not supported for tensors with negative bit set when converting to a "
      "different dtype.");
  const auto old_size = static_cast<int64_t>(self.dtype().itemsize());
  const auto new_size = static_cast<int64_t>(c10::elementSize(dtype));
  if (old_size == new_size) {
    return make_view_as(self, dtype, self.sizes(), self.strides(), self.storage_offset());
  }
  TORCH_CHECK(
      self.dim() > 0, "self.dim() cannot be 0 to view ", self.scalar_type(), " as ", dtype,
      " (different element sizes)");
  return old_size > new_size ? view_as_narrower(self, dtype, old_size / new_size)
                             : view_as_wider(self, dtype, new_size / old_size);
}

Tensor view_as_real(const Tensor& self) {
  TORCH_CHECK(self.is_complex(), "view_as_real is only supported for complex tensors");
  TORCH_CHECK(
      !self.is_conj(),
      "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
      "tensor so you can view it as real, use self.resolve_conj(); however, be warned that the "
      "resulting tensor will NOT alias the original.");
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  DimVector strides(self.strides().begin(), self.strides().end());
  for (int64_t& stride : strides) {
    stride *= 2;
  }
  sizes.push_back(2);
  strides.push_back(1);
  return make_view_as(
      self, c10::toRealValueType(self.scalar_type()), sizes, strides, self.storage_offset() * 2);
}

Tensor view_as_complex(const Tensor& self) {
  const ScalarType dtype = self.scalar_type();
  TORCH_CHECK(
      dtype == kFloat || dtype == kDouble || dtype == kHalf,
      "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
      "scalar type: ",
      dtype);
  TORCH_CHECK(self.dim() > 0, "Input tensor must have one or more dimensions");
  TORCH_CHECK(self.size(-1) == 2, "Tensor must have a last dimension of size 2");
  TORCH_CHECK(self.stride(-1) == 1, "Tensor must have a last dimension with stride 1");
  DimVector sizes(self.sizes().begin(), self.sizes().end() - 1);
  DimVector strides(self.strides().begin(), self.strides().end() - 1);
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    TORCH_CHECK(
        strides[dim] % 2 == 0,
        "Tensor must have a stride divisible by 2 for all but last dimension");
    strides[dim] /= 2;
  }
  TORCH_CHECK(self.storage_offset() % 2 == 0, "Tensor must have a storage_offset divisible by 2");
  return make_view_as(self, c10::toComplexType(dtype), sizes, strides, self.storage_offset() / 2);
}

Tensor real(const Tensor& self) {
  if (!self.is_complex()) {
    return self;
  }
  return at::select(at::view_as_real(self.is_conj() ? at::_conj(self) : self), self.dim(), 0);
}

Tensor imag(const Tensor& self) {
  TORCH_CHECK(self.is_complex(), "imag is not implemented for tensors with non-complex dtypes.");
  const Tensor parts =
      self.is_conj() ? at::_neg_view(at::view_as_real(at::_conj(self))) : at::view_as_real(self);
  return at::select(parts, self.dim(), 1);
}

} // namespace at::native
