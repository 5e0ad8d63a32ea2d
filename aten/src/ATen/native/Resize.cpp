#include <ATen/native/Resize.h>

#include <ATen/DeterministicFill.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set.h>
#include <ATen/ops/set_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/TensorGeometry.h>
#include <c10/util/DimVector.h>

#include <algorithm>

namespace at::native {

bool resize_output_check(const Tensor& output, IntArrayRef shape) {
  if (output.sizes() == shape) {
    return false;
  }
  if (output.numel() != 0) {
    TORCH_WARN(
        "An output with one or more elements was resized since it had shape ", output.sizes(),
        ", which does not match the required output shape ", shape,
        ". This behavior is deprecated, and in a future PyTorch release outputs will not be "
        "resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0).");
  }
  return true;
}

bool resize_output_slow(const Tensor& output, IntArrayRef shape) {
  if (!resize_output_check(output, shape)) {
    return false;
  }
  const AutoDispatchBelowADInplaceOrView below; // the write that follows counts as the change
  at::methods::resize_(output, shape);
  return true;
}

void resize_bytes(c10::StorageImpl* storage, size_t size_bytes) {
  TORCH_CHECK(storage->resizable(), "Trying to resize storage that is not resizable");
  const c10::DeviceGuard guard(storage->device());
  c10::Allocator& allocator = *storage->allocator();
  DataPtr data;
  if (size_bytes != 0) {
    data = allocator.allocate(size_bytes);
  }
  const DataPtr& old_data = storage->data_ptr();
  const size_t kept = std::min(storage->nbytes(), size_bytes);
  if (kept != 0 && old_data.get() != nullptr) {
    allocator.copy_data(data.get(), old_data.get(), kept);
  }
  storage->set_data_ptr_noswap(std::move(data));
  storage->set_nbytes(size_bytes);
}

namespace {

// The bytes of storage that these sizes and strides reach. A tensor is changed only after this and
// grow_storage, which may throw: it would otherwise reach beyond its storage.
size_t checked_nbytes(
    IntArrayRef size, OptionalIntArrayRef stride, size_t itemsize, int64_t storage_offset) {
  if (stride.has_value()) {
    c10::checked_numel(size);
    return at::detail::computeStorageNbytes(size, *stride, itemsize, storage_offset);
  }
  c10::check_contiguous_geometry(size);
  return at::detail::computeStorageNbytesContiguous(size, itemsize, storage_offset);
}

void grow_storage(const Storage& storage, IntArrayRef size, size_t needed_bytes) {
  if (std::find(size.begin(), size.end(), 0) != size.end()) {
    return;
  }
  TORCH_CHECK(storage, "Tensor: invalid null storage");
  if (needed_bytes > storage.nbytes()) {
    resize_bytes(storage.unsafeGetStorageImpl(), needed_bytes);
  }
}

void set_geometry(TensorImpl* self, IntArrayRef size, OptionalIntArrayRef stride) {
  if (stride.has_value()) {
    self->set_sizes_and_strides(size, *stride);
  } else {
    self->set_sizes_contiguous(size);
  }
}

} // namespace

TensorImpl* resize_impl_cpu_(
    TensorImpl* self, IntArrayRef size, OptionalIntArrayRef stride, bool resize_storage) {
  if (self->sizes() == size && (!stride.has_value() || self->strides() == *stride)) {
    return self;
  }
  const size_t needed_bytes =
      checked_nbytes(size, stride, self->dtype().itemsize(), self->storage_offset());
  if (resize_storage) {
    grow_storage(self->unsafe_storage(), size, needed_bytes);
  }
  set_geometry(self, size, stride);
  return self;
}

namespace {

// Fills the elements behind the first bytes of a tensor's storage.
void fill_grown_storage(const Tensor& self, size_t before) {
  const auto first = static_cast<int64_t>(before / self.itemsize());
  const auto count = static_cast<int64_t>(self.storage().nbytes() / self.itemsize()) - first;
  if (count > 0) {
    const AutoDispatchBelowADInplaceOrView below;
    Tensor grown = at::empty({0}, self.options());
    fill_unwritten(at::methods::set_(grown, self.storage(), first, {count}, {1}));
  }
}

} // namespace

const Tensor& resize_(
    const Tensor& self, IntArrayRef size, std::optional<MemoryFormat> memory_format) {
  for (const int64_t length : size) {
    TORCH_CHECK(
        length >= 0, "Trying to create tensor with negative dimension ", length, ": ", size);
  }
  TensorImpl* impl = self.unsafeGetTensorImpl();
  const bool fills = fills_new_memory();
  const size_t before = fills ? self.storage().nbytes() : 0;
  resize_impl_cpu_(impl, size, std::nullopt);
  if (fills) [[unlikely]] {
    fill_grown_storage(self, before);
  }
  if (memory_format.has_value()) {
    TORCH_CHECK(
        *memory_format != MemoryFormat::Preserve, "Unsupported memory format", *memory_format);
    impl->empty_tensor_restride(*memory_format);
  }
  return self;
}

void check_in_bounds_for_storage(
    IntArrayRef size, IntArrayRef stride, int64_t storage_offset, size_t itemsize,
    const Storage& storage) {
  const size_t needed_bytes =
      at::detail::computeStorageNbytes(size, stride, itemsize, storage_offset);
  if (needed_bytes == 0 || storage.device_type() == DeviceType::Meta) {
    return;
  }
  TORCH_CHECK(
      needed_bytes <= storage.nbytes(), "setStorage: sizes ", size, ", strides ", stride,
      ", storage offset ", storage_offset, ", and itemsize ", itemsize,
      " requiring a storage size of ", needed_bytes, " are out of bounds for storage of size ",
      storage.nbytes());
}

namespace {

void check_set_storage(
    const Tensor& result, const Storage& storage, int64_t storage_offset, IntArrayRef size,
    IntArrayRef stride) {
  TORCH_CHECK(
      stride.empty() || size.size() == stride.size(), "unequal size length (", size.size(),
      ") and stride length (", stride.size(), ")");
  TORCH_CHECK(
      result.storage().device() == storage.device(),
      "Attempted to set the storage of a tensor "
      "on device \"",
      result.storage().device(), "\" to a storage on different device \"", storage.device(),
      "\".  This is no longer allowed; the devices must match.");
  TORCH_CHECK(storage_offset >= 0, "Tensor: invalid storage offset ", storage_offset);
  for (const int64_t length : size) {
    TORCH_CHECK(length >= 0, "Tensor: invalid negative size in ", size);
  }
}

} // namespace

Tensor& set_storage_cpu_(
    Tensor& result, Storage storage, int64_t storage_offset, IntArrayRef size, IntArrayRef stride) {
  check_set_storage(result, storage, storage_offset, size, stride);
  TensorImpl* impl = result.unsafeGetTensorImpl();
  // An empty stride with a non-empty size requests the row-major stride.
  const OptionalIntArrayRef given =
      stride.empty() && !size.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(stride);
  grow_storage(
      storage, size, checked_nbytes(size, given, impl->dtype().itemsize(), storage_offset));
  impl->set_storage_keep_dtype(std::move(storage));
  impl->set_storage_offset(storage_offset);
  set_geometry(impl, size, given);
  return result;
}

Tensor& set_storage_meta_(
    Tensor& result, Storage storage, int64_t storage_offset, IntArrayRef size, IntArrayRef stride) {
  return set_storage_cpu_(result, std::move(storage), storage_offset, size, stride);
}

Tensor& set_(Tensor& result, Storage source) {
  const auto itemsize = static_cast<int64_t>(result.dtype().itemsize());
  TORCH_CHECK(
      static_cast<int64_t>(source.nbytes()) % itemsize == 0, "self storage is not a multiple of ",
      itemsize, " bytes");
  const int64_t length = static_cast<int64_t>(source.nbytes()) / itemsize;
  const int64_t stride = 1;
  return set_storage_cpu_(result, std::move(source), 0, {&length, 1}, {&stride, 1});
}

Tensor& set_(
    Tensor& result, const Tensor& source, int64_t storage_offset, IntArrayRef size,
    IntArrayRef stride) {
  return at::methods::set_(result, source.storage(), storage_offset, size, stride);
}

Tensor& set_tensor_(Tensor& result, const Tensor& source) {
  if (!result.is_same(source)) {
    TORCH_CHECK(
        result.dtype() == source.dtype(), "Could not set tensor of type ", source.dtype(),
        " to a tensor of type ", result.dtype());
    set_storage_cpu_(
        result, source.storage(), source.storage_offset(), source.sizes(), source.strides());
  }
  return result;
}

Tensor& set_cpu_(Tensor& result) {
  const int64_t empty = 0;
  return set_storage_cpu_(result, at::detail::empty_storage(result.device()), 0, {&empty, 1}, {});
}

Tensor& set_meta_(Tensor& result) {
  return set_cpu_(result);
}

} // namespace at::native
