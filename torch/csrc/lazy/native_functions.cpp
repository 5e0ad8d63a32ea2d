// The kernels of the lazy device that are written by hand: those that make, view, write and read
// tensors. Those of other operators are generated from ts_native_functions.yaml.

#include <torch/csrc/lazy/generated/LazyNativeFunctions.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/_conj_physical.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unfold.h>
#include <ATen/ops/view.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/TensorImpl.h>
#include <torch/csrc/lazy/core/direct_calls.h>
#include <torch/csrc/lazy/core/executor.h>
#include <torch/csrc/lazy/core/metrics.h>
#include <torch/csrc/lazy/core/nodes.h>
#include <torch/csrc/lazy/core/shape_inference.h>
#include <torch/csrc/lazy/core/tensor.h>

namespace torch::lazy {

using at::Tensor;

namespace {

void check_placement(std::optional<at::Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  TORCH_CHECK(
      !device || device->index() <= 0, "there is only one lazy device, ", kLazyDevice, ", not ",
      *device);
}

Tensor new_empty(const Tensor& like_meta) {
  return tensor_of(Value(MakeNode<Empty>(Shape::of(like_meta))));
}

// The elements of a tensor of another device, at the places of the lazy tensor they are copied to.
Value uploaded(const Tensor& target, const Tensor& source) {
  TORCH_LAZY_COUNTER("DeviceDataUpload", 1);
  const Shape shape = Shape::of(target);
  Tensor data =
      at::empty_strided(shape.sizes, shape.strides, at::TensorOptions().dtype(shape.dtype));
  at::methods::copy_(data, source);
  return Value(MakeNode<DeviceData>(std::move(data)));
}

// Meta tensors compute the sizes, strides and offset of a view.
template <typename F>
Tensor view_as_on_meta(const Tensor& self, F&& f) {
  const DirectCalls guard;
  const Tensor view = f(to_meta(self));
  return view_of(self, view.sizes(), view.strides(), self.storage_offset() + view.storage_offset());
}

void set_storage(
    const Tensor& self, at::Storage source, int64_t offset, at::IntArrayRef size,
    at::IntArrayRef stride) {
  TORCH_CHECK(
      source.device().type() == c10::DeviceType::Lazy,
      "set_: the storage must be on the lazy device, not on ", source.device());
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  const auto dense = c10::contiguous_strides(size);
  self.unsafeGetTensorImpl()->set_sizes_and_strides(
      size, stride.size() == size.size() ? stride : at::IntArrayRef(dense), offset);
  grow_storage(self);
}

} // namespace

Tensor LazyNativeFunctions::empty(
    at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device> device, std::optional<bool> pin_memory,
    std::optional<at::MemoryFormat> format) {
  check_placement(device, pin_memory);
  const TraceLock lock;
  return new_empty(Tensor(at::detail::empty_meta(size, c10::dtype_or_default(dtype), format)));
}

Tensor LazyNativeFunctions::empty_strided(
    at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
    std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool> pin_memory) {
  check_placement(device, pin_memory);
  const TraceLock lock;
  const Tensor meta(at::detail::empty_strided_meta(size, stride, c10::dtype_or_default(dtype)));
  if (meta.is_non_overlapping_and_dense()) {
    return new_empty(meta);
  }
  // A storage that is as large as the strides need, and the view of it.
  const auto bytes = static_cast<int64_t>(meta.storage().nbytes());
  const int64_t elements = bytes / static_cast<int64_t>(meta.itemsize());
  const Tensor all = new_empty(Tensor(at::detail::empty_meta({elements}, meta.scalar_type())));
  return view_of(all, size, stride, 0);
}

Tensor& LazyNativeFunctions::copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  TORCH_CHECK(src.defined(), "src is undefined");
  if (self.is_same(src)) {
    return self;
  }
  if (!is_lazy(self)) {
    const Tensor data = LazyGraphExecutor::get().data(src);
    return at::methods::copy_(self, data, non_blocking);
  }
  const auto broadcast = at::infer_size_dimvector(self.sizes(), src.sizes());
  TORCH_CHECK(
      self.sizes() == at::IntArrayRef(broadcast), "output with shape ", self.sizes(),
      " doesn't match the broadcast shape ", at::IntArrayRef(broadcast));
  TORCH_LAZY_FN_COUNTER("lazy::", "copy_");
  const TraceLock lock;
  if (!is_lazy(src)) {
    assign(
        self,
        uploaded(
            self,
            src.is_cpu() ? src : at::methods::to(src, at::Device(at::kCPU), src.scalar_type())));
  } else if (src.scalar_type() == self.scalar_type() && src.sizes() == self.sizes()) {
    assign(self, value_of(src));
  } else {
    assign(self, Value(MakeNode<Copy>(value_of(src), Shape::of(to_meta(self)))));
  }
  return self;
}

Tensor& LazyNativeFunctions::fill_(Tensor& self, const at::Scalar& value) {
  TORCH_LAZY_FN_COUNTER("lazy::", "fill_");
  const TraceLock lock;
  assign(self, Value(MakeNode<Fill>(Shape::of(to_meta(self)), value)));
  return self;
}

Tensor& LazyNativeFunctions::fill_(Tensor& self, const Tensor& value) {
  TORCH_CHECK(
      value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
      value.dim(), " dimensions.");
  return copy_(self, value, /*non_blocking=*/false);
}

Tensor& LazyNativeFunctions::zero_(Tensor& self) {
  return fill_(self, 0);
}

at::Scalar LazyNativeFunctions::_local_scalar_dense(const Tensor& self) {
  TORCH_LAZY_FN_COUNTER("lazy::", "_local_scalar_dense");
  const Tensor data = LazyGraphExecutor::get().data(self);
  const DirectCalls guard;
  return at::_local_scalar_dense(data);
}

Tensor LazyNativeFunctions::as_strided(
    const Tensor& self, at::IntArrayRef size, at::IntArrayRef stride,
    std::optional<int64_t> offset) {
  const int64_t start = offset.value_or(self.storage_offset());
  TORCH_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (const int64_t each : stride) {
    TORCH_CHECK(each >= 0, "as_strided: Negative strides are not supported at the moment");
  }
  const size_t bytes =
      c10::computeStorageNbytes(size, stride, self.itemsize(), static_cast<size_t>(start));
  TORCH_CHECK(
      bytes <= self.storage().nbytes(), "setStorage: sizes ", size, ", strides ", stride,
      " and offset ", start, " are out of bounds for storage of size ", self.storage().nbytes());
  return view_of(self, size, stride, start);
}

// Nodes hold values, not views for which something is pending: what these return is a copy.
Tensor LazyNativeFunctions::_conj(const Tensor& self) {
  return at::_conj_physical(self);
}

Tensor LazyNativeFunctions::_neg_view(const Tensor& self) {
  return at::neg(self);
}

Tensor LazyNativeFunctions::_reshape_alias(
    const Tensor& self, at::IntArrayRef size, at::IntArrayRef stride) {
  return view_of(self, size, stride, self.storage_offset());
}

Tensor LazyNativeFunctions::view(const Tensor& self, at::IntArrayRef size) {
  return view_as_on_meta(self, [&](const Tensor& meta) { return at::methods::view(meta, size); });
}

Tensor LazyNativeFunctions::view(const Tensor& self, at::ScalarType dtype) {
  TORCH_CHECK(
      dtype == self.scalar_type(),
      "the lazy device does not support views of another dtype: ", self.scalar_type(), " as ",
      dtype);
  return view_of(self, self.sizes(), self.strides(), self.storage_offset());
}

Tensor LazyNativeFunctions::unfold(
    const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return view_as_on_meta(
      self, [&](const Tensor& meta) { return at::methods::unfold(meta, dimension, size, step); });
}

const Tensor& LazyNativeFunctions::resize_(
    const Tensor& self, at::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  const TraceLock lock;
  if (self.sizes() != size) {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    grow_storage(self);
  }
  if (format) {
    self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  }
  return self;
}

Tensor& LazyNativeFunctions::set_(
    Tensor& self, at::Storage source, int64_t offset, at::IntArrayRef size,
    at::IntArrayRef stride) {
  const TraceLock lock;
  set_storage(self, std::move(source), offset, size, stride);
  return self;
}

Tensor& LazyNativeFunctions::set_(Tensor& self, at::Storage source) {
  const auto size = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_(self, std::move(source), 0, {&size, 1}, {});
}

Tensor& LazyNativeFunctions::set_(Tensor& self, const Tensor& source) {
  return self.is_same(source)
      ? self
      : set_(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

Tensor& LazyNativeFunctions::set_(Tensor& self) {
  const TraceLock lock;
  const Tensor empty = new_empty(Tensor(at::detail::empty_meta({0}, self.scalar_type())));
  return set_(self, empty);
}

} // namespace torch::lazy
