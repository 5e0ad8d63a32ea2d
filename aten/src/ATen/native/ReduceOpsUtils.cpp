#include <ATen/native/ReduceOpsUtils.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/Exception.h>

namespace at::native {

DimMask one_dim_mask(int64_t dim, int64_t ndim) {
  DimMask mask;
  mask.set(static_cast<size_t>(c10::maybe_wrap_dim(dim, ndim)));
  return mask;
}

DimMask make_dim_mask(OptionalIntArrayRef dims, int64_t ndim, bool empty_is_none) {
  TORCH_CHECK(ndim <= 64, "only tensors with up to 64 dims are supported");
  DimMask mask;
  if (!dims.has_value() || (dims->empty() && !empty_is_none)) {
    return mask.set();
  }
  for (const int64_t dim : *dims) {
    const auto at = static_cast<size_t>(c10::maybe_wrap_dim(dim, ndim));
    TORCH_CHECK(!mask[at], "dim ", at, " appears multiple times in the list of dims");
    mask.set(at);
  }
  return mask;
}

c10::DimVector reduced_shape(const TensorBase& self, DimMask mask, bool keepdim) {
  c10::DimVector shape;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!mask[d]) {
      shape.push_back(self.size(d));
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

void resize_reduction(
    impl::MetaBase& meta, const Tensor& self, OptionalIntArrayRef dims, bool keepdim,
    ScalarType dtype, bool empty_is_none) {
  const DimMask mask = make_dim_mask(dims, self.dim(), empty_is_none);
  meta.set_output_raw_strided(
      0, reduced_shape(self, mask, keepdim), {}, self.options().dtype(dtype));
}

void zero_numel_check_dims(const TensorBase& self, int64_t dim, const char* name) {
  if (self.dim() == 0) {
    TORCH_CHECK_INDEX(
        dim == 0 || dim == -1, name, ": Expected reduction dim -1 or 0 for scalar but got ", dim);
  } else {
    TORCH_CHECK_INDEX(
        self.size(dim) != 0, name, ": Expected reduction dim ", dim, " to have non-zero size.");
  }
}

void zero_numel_check_dims(const TensorBase& self, IntArrayRef dims, const char* name) {
  TORCH_CHECK(
      !dims.empty(), name, ": Expected reduction dim to be specified for input.numel() == 0.",
      " Specify the reduction dim with the 'dim' argument.");
  for (const int64_t dim : dims) {
    zero_numel_check_dims(self, dim, name);
  }
}

ScalarType infer_sum_dtype(
    const TensorBase& self, std::optional<ScalarType> dtype, const TensorBase& result) {
  if (dtype.has_value()) {
    return *dtype;
  }
  if (result.defined()) {
    return result.scalar_type();
  }
  const ScalarType in = self.scalar_type();
  return c10::isIntegralType(in, /*includeBool=*/true) ? ScalarType::Long : in;
}

Tensor make_reduced(const Tensor& self, DimMask mask, bool keepdim, ScalarType dtype) {
  return at::empty(reduced_shape(self, mask, keepdim), self.options().dtype(dtype));
}

Tensor make_scalar(const Tensor& self, ScalarType dtype) {
  return self.is_cpu() ? Tensor(at::detail::empty_cpu({}, dtype))
                       : at::empty({}, self.options().dtype(dtype));
}

void unsupported_dtype(const char* kernel, ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, '"', kernel, "\" not implemented for '", c10::toString(dtype), "'");
}

} // namespace at::native
