#include <ATen/EmptyTensor.h>

#include <ATen/Context.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>

#include <atomic>

namespace at::detail {

namespace {

// Allocates storage that has a size but no memory.
struct MetaAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t) override {
    return {nullptr, nullptr, &c10::detail::deleteNothing, kMeta};
  }
  void copy_data(void*, const void*, size_t) const override {}
  c10::DeleterFnPtr raw_deleter() const override { return &c10::detail::deleteNothing; }
};

MetaAllocator meta_allocator;
const bool registered = [] {
  c10::SetAllocator(kMeta, &meta_allocator);
  return true;
}();

constexpr c10::DispatchKeySet kMetaKeys(c10::DispatchKey::Meta);
constexpr c10::DispatchKeySet kCPUKeys(c10::DispatchKey::CPU);

std::atomic<EmptyOfLayout> empty_of_layout = nullptr;

// Returns the function that creates tensors of a layout other than strided, if there is one.
EmptyOfLayout empty_function_of(std::optional<Layout> layout) {
  if (c10::layout_or_default(layout) == kStrided) [[likely]]
    return nullptr;
  return empty_of_layout.load();
}

void check_strided(std::optional<Layout> layout) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::layout_or_default(layout) == kStrided, "expected a strided layout but got ",
      c10::layout_or_default(layout));
}

void check_cpu(std::optional<Layout> layout, std::optional<Device> device) {
  check_strided(layout);
  const Device wanted = c10::device_or_default(device);
  TORCH_INTERNAL_ASSERT(wanted.is_cpu(), "expected a CPU device but got ", wanted);
}

void check_meta(std::optional<Layout> layout, std::optional<bool> pin_memory) {
  check_strided(layout);
  // A Meta tensor has no memory to pin.
  TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory), "Only dense CPU tensors can be pinned");
}

void apply_format(TensorImpl& impl, std::optional<MemoryFormat> format) {
  if (format && *format != MemoryFormat::Contiguous) {
    TORCH_CHECK(
        *format != MemoryFormat::Preserve,
        "memory format option is only supported by strided tensors that are made from another one");
    impl.empty_tensor_restride(*format);
  }
}

void check_strides(IntArrayRef size, IntArrayRef stride) {
  TORCH_CHECK(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (int64_t each : stride) {
    TORCH_CHECK(
        each >= 0,
        "as_strided: Negative strides are not supported at the moment, got strides: ", stride);
  }
}

TensorBase make(
    size_t bytes, c10::Allocator* allocator, c10::DispatchKeySet keys, ScalarType dtype) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t{}, bytes, allocator, true);
  return TensorBase(c10::make_intrusive<TensorImpl, UndefinedTensorImpl>(
      c10::Storage(std::move(storage)), keys, c10::TypeMeta(dtype)));
}

} // namespace

TensorBase empty_generic(
    IntArrayRef size, c10::Allocator* allocator, c10::DispatchKeySet keys, ScalarType dtype,
    std::optional<MemoryFormat> format) {
  TensorBase tensor = make(
      c10::computeStorageNbytesContiguous(size, c10::elementSize(dtype)), allocator, keys, dtype);
  if (size.size() != 1 || size[0] != 0) {
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  }
  apply_format(*tensor.unsafeGetTensorImpl(), format);
  return tensor;
}

TensorBase empty_strided_generic(
    IntArrayRef size, IntArrayRef stride, c10::Allocator* allocator, c10::DispatchKeySet keys,
    ScalarType dtype) {
  check_strides(size, stride);
  TensorBase tensor = make(
      c10::computeStorageNbytes(size, stride, c10::elementSize(dtype)), allocator, keys, dtype);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
  return tensor;
}

// ---- any device

namespace {

// Out of line, so that the default device's path has no guard to unwind.
C10_NOINLINE TensorBase empty_guarded(
    Device device, IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format) {
  const c10::DeviceGuard guard(device);
  return empty_generic(
      size, c10::GetAllocator(device.type()), c10::dispatch_key_set_of(device.type()), dtype,
      format);
}
C10_NOINLINE TensorBase
empty_strided_guarded(Device device, IntArrayRef size, IntArrayRef stride, ScalarType dtype) {
  const c10::DeviceGuard guard(device);
  return empty_strided_generic(
      size, stride, c10::GetAllocator(device.type()), c10::dispatch_key_set_of(device.type()),
      dtype);
}

} // namespace

TensorBase empty_on(
    Device device, IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format) {
  if (device.type() == c10::default_device_type) [[likely]] {
    return empty_cpu(size, dtype, format);
  }
  return empty_guarded(device, size, dtype, format);
}

TensorBase empty_strided_on(Device device, IntArrayRef size, IntArrayRef stride, ScalarType dtype) {
  if (device.type() == c10::default_device_type) [[likely]] {
    return empty_strided_cpu(size, stride, dtype);
  }
  return empty_strided_guarded(device, size, stride, dtype);
}

c10::Storage empty_storage(Device device, size_t bytes) {
  const c10::DeviceGuard guard(device);
  return c10::Storage(
      c10::Storage::use_byte_size_t(), bytes, c10::GetAllocator(device.type()),
      /*resizable=*/true);
}

// ---- CPU

TensorBase empty_cpu(IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format) {
  TensorBase tensor(c10::make_cpu_tensor_impl(size, dtype));
  apply_format(*tensor.unsafeGetTensorImpl(), format);
  return tensor;
}

TensorBase empty_cpu(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> format) {
  const ScalarType type = c10::dtype_or_default(dtype);
  const EmptyOfLayout of_layout = empty_function_of(layout);
  if (of_layout) [[unlikely]]
    return of_layout(size, type, *layout, kCPU);
  check_cpu(layout, device);
  if (c10::pinned_memory_or_default(pin_memory)) {
    return empty_generic(size, globalContext().getPinnedMemoryAllocator(), kCPUKeys, type, format);
  }
  return empty_cpu(size, type, format);
}

void set_empty_of_layout(EmptyOfLayout function) {
  empty_of_layout.store(function);
}

TensorBase empty_cpu(IntArrayRef size, const TensorOptions& options) {
  return empty_cpu(
      size, options.scalar_type_opt(), options.layout_opt(), options.device_opt(),
      options.pinned_memory_opt(), options.memory_format_opt());
}

TensorBase empty_strided_cpu(IntArrayRef size, IntArrayRef stride, ScalarType dtype) {
  check_strides(size, stride);
  auto storage =
      c10::StorageImpl::make_cpu(c10::computeStorageNbytes(size, stride, c10::elementSize(dtype)));
  TensorBase tensor(c10::make_intrusive<TensorImpl, UndefinedTensorImpl>(
      c10::Storage(std::move(storage)), kCPUKeys, c10::TypeMeta(dtype)));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
  return tensor;
}

TensorBase empty_strided_cpu(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  check_cpu(layout, device);
  const ScalarType type = c10::dtype_or_default(dtype);
  if (c10::pinned_memory_or_default(pin_memory)) {
    return empty_strided_generic(
        size, stride, globalContext().getPinnedMemoryAllocator(), kCPUKeys, type);
  }
  return empty_strided_cpu(size, stride, type);
}

TensorBase empty_strided_cpu(IntArrayRef size, IntArrayRef stride, const TensorOptions& options) {
  return empty_strided_cpu(
      size, stride, options.scalar_type_opt(), options.layout_opt(), options.device_opt(),
      options.pinned_memory_opt());
}

// ---- Meta

TensorBase empty_meta(IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format) {
  return empty_generic(size, &meta_allocator, kMetaKeys, dtype, format);
}

TensorBase empty_meta(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device>, std::optional<bool> pin_memory, std::optional<MemoryFormat> format) {
  const EmptyOfLayout of_layout = empty_function_of(layout);
  if (of_layout) return of_layout(size, c10::dtype_or_default(dtype), *layout, kMeta);
  check_meta(layout, pin_memory);
  return empty_meta(size, c10::dtype_or_default(dtype), format);
}

TensorBase empty_meta(IntArrayRef size, const TensorOptions& options) {
  return empty_meta(
      size, options.scalar_type_opt(), options.layout_opt(), options.device_opt(),
      options.pinned_memory_opt(), options.memory_format_opt());
}

TensorBase empty_strided_meta(IntArrayRef size, IntArrayRef stride, ScalarType dtype) {
  return empty_strided_generic(size, stride, &meta_allocator, kMetaKeys, dtype);
}

TensorBase empty_strided_meta(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device>, std::optional<bool> pin_memory) {
  check_meta(layout, pin_memory);
  return empty_strided_meta(size, stride, c10::dtype_or_default(dtype));
}

TensorBase empty_strided_meta(IntArrayRef size, IntArrayRef stride, const TensorOptions& options) {
  return empty_strided_meta(
      size, stride, options.scalar_type_opt(), options.layout_opt(), options.device_opt(),
      options.pinned_memory_opt());
}

} // namespace at::detail
