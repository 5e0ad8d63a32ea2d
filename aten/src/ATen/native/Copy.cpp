// copy_ and the copies that other operators use.

#include <ATen/native/Copy.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/MathBits.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

namespace at::native {

DEFINE_DISPATCH(copy_stub);

bool same_bytes_in_order(const TensorBase& target, const TensorBase& source) {
  return target.scalar_type() == source.scalar_type() && target.sizes() == source.sizes() &&
      ((target.is_contiguous() && source.is_contiguous()) ||
       (target.strides() == source.strides() && target.is_non_overlapping_and_dense()));
}

namespace {

void copy_through_iterator(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  TensorIterator iter = TensorIteratorConfig()
                            .add_borrowed_output(target)
                            .add_borrowed_const_input(source)
                            .resize_outputs(false)
                            .check_all_same_dtype(false)
                            .check_all_same_device(false)
                            .build();
  if (iter.numel() > 0) {
    copy_stub(iter.device_type(), iter, non_blocking);
  }
}

bool one_kernel_copies(const TensorBase& target, const TensorBase& source) {
  const auto type = target.device().type();
  return type == source.device().type() && copy_stub.is_device_supported(type);
}

// The strides with which the source has the target's shape.
DimVector broadcast_strides(const TensorBase& target, const TensorBase& source) {
  const auto shape = infer_size_dimvector(target.sizes(), source.sizes());
  TORCH_CHECK(
      target.sizes() == IntArrayRef(shape), "output with shape ", target.sizes(),
      " doesn't match the broadcast shape ", IntArrayRef(shape));
  DimVector strides(shape.size(), 0);
  const size_t added = shape.size() - static_cast<size_t>(source.dim());
  for (size_t d = added; d < shape.size(); ++d) {
    const int64_t size = source.size(static_cast<int64_t>(d - added));
    strides[d] = size == 1 && shape[d] != 1 ? 0 : source.stride(static_cast<int64_t>(d - added));
  }
  return strides;
}

bool both_on_host(const TensorBase& target, const TensorBase& source) {
  return target.is_cpu() && source.is_cpu();
}

// copy_expanded(), to be compiled into its callers here.
void copy_values(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  if (C10_UNLIKELY(have_math_bits(target, source))) {
    copy_with_math_bits(target, source, non_blocking);
  } else if (both_on_host(target, source) && same_bytes_in_order(target, source)) {
    void* to = target.mutable_data_ptr();
    const void* from = source.const_data_ptr();
    if (to != from) {
      const char *first = static_cast<const char*>(from), *second = static_cast<char*>(to);
      const auto size = static_cast<std::ptrdiff_t>(target.nbytes());
      if (first - second < size && second - first < size) {
        assert_no_partial_overlap(target, source);
      }
      copy_bytes(to, from, target.nbytes());
    }
  } else if (one_kernel_copies(target, source)) {
    copy_through_iterator(target, source, non_blocking);
  } else {
    assert_no_internal_overlap(target);
    assert_no_partial_overlap(target, source);
    const auto expanded = broadcast_strides(target, source);
    copy_across_devices(
        target, strided_view(source, target.sizes(), expanded, source.storage_offset()),
        non_blocking);
  }
}

} // namespace

void copy_expanded(const TensorBase& target, const TensorBase& source, bool non_blocking) {
  copy_values(target, source, non_blocking);
}

void copy_same_shape(const TensorBase& target, const TensorBase& source) {
  copy_values(target, source, /*non_blocking=*/false);
}

TensorBase converted_copy(const TensorBase& source, ScalarType dtype) {
  TensorBase result = source.is_non_overlapping_and_dense()
      ? at::detail::empty_strided_on(source.device(), source.sizes(), source.strides(), dtype)
      : at::detail::empty_on(source.device(), source.sizes(), dtype);
  copy_same_shape(result, source);
  return result;
}

TensorBase strided_view(
    const TensorBase& base, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset) {
  return TensorBase(
      c10::make_view_impl(*base.unsafeGetTensorImpl(), sizes, strides, storage_offset));
}

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  TORCH_CHECK(self.defined(), "self is undefined");
  TORCH_CHECK(src.defined(), "src is undefined");
  if (self.is_same(src)) {
    return self;
  }
  if (self.is_meta() || src.is_meta()) {
    TORCH_CHECK_NOT_IMPLEMENTED(self.is_meta(), "Cannot copy out of meta tensor; no data!");
    if (self.sizes() != src.sizes()) {
      const auto shape = infer_size_dimvector(self.sizes(), src.sizes());
      TORCH_CHECK(
          self.sizes() == IntArrayRef(shape), "output with shape ", self.sizes(),
          " doesn't match the broadcast shape ", IntArrayRef(shape));
    }
    return self;
  }
  if (src.is_complex() && !self.is_complex() && self.scalar_type() != kBool) {
    TORCH_WARN_ONCE("Casting complex values to real discards the imaginary part");
  }
  copy_values(self, src, non_blocking);
  return self;
}

Tensor copy(const Tensor& self, const Tensor& src, bool non_blocking) {
  Tensor result = at::empty_like(self);
  return copy_(result, src, non_blocking);
}

Tensor copy_meta(const Tensor& self, const Tensor& src, bool non_blocking) {
  return copy(self, src, non_blocking);
}

} // namespace at::native
