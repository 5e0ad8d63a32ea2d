// The device's own kernels: those that make and view tensors, and a few that compute. Every other
// operator runs on the CPU. kernels.yaml lists the operators, and their declarations and
// registrations are generated from it.

#include "PrivateUse1NativeFunctions.h"
#include "memory.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorIterator.h>
#include <ATen/TensorUtils.h>
#include <ATen/native/Resize.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cmath>
#include <cstring>

namespace private_device {

using at::Tensor;
using c10::Device;
using c10::ScalarType;

static constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

static c10::DeviceGuard guard_of(const std::optional<Device>& device) {
  return c10::DeviceGuard(device.value_or(Device(c10::DeviceType::PrivateUse1)));
}

// ---- 1 and 2: new tensors
Tensor PrivateUse1NativeFunctions::empty(
    at::IntArrayRef size, std::optional<ScalarType> dtype, std::optional<at::Layout>,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  const c10::DeviceGuard guard = guard_of(device);
  return Tensor(at::detail::empty_generic(
      size, c10::GetAllocator(c10::DeviceType::PrivateUse1), kKeys, c10::dtype_or_default(dtype),
      format));
}

Tensor PrivateUse1NativeFunctions::empty_strided(
    at::IntArrayRef size, at::IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<at::Layout>, std::optional<Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  const c10::DeviceGuard guard = guard_of(device);
  return Tensor(at::detail::empty_strided_generic(
      size, stride, c10::GetAllocator(c10::DeviceType::PrivateUse1), kKeys,
      c10::dtype_or_default(dtype)));
}

// ---- 3 and 4: fill_ and zero_
static void fill_bytes(const Tensor& self, const void* element) {
  const size_t width = self.itemsize();
  auto iter = at::TensorIterator::borrowing_nullary_op(self);
  iter.for_each([&](char** data, const int64_t* strides, int64_t n) {
    char* to = n > 0 ? bytes_of(data[0]) : nullptr;
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(to + i * strides[0], element, width);
    }
  });
}

Tensor& PrivateUse1NativeFunctions::fill_(Tensor& self, const at::Scalar& value) {
  const Tensor element = at::full({}, value, self.options().device(c10::kCPU));
  fill_bytes(self, element.const_data_ptr());
  return self;
}

Tensor& PrivateUse1NativeFunctions::zero_(Tensor& self) {
  const char zeros[16] = {};
  fill_bytes(self, zeros);
  return self;
}

// ---- 5: item
at::Scalar PrivateUse1NativeFunctions::_local_scalar_dense(const Tensor& self) {
  return self.to(Device(c10::kCPU)).item();
}

// ---- 6 to 10: arithmetic. float32 is computed here, everything else on the CPU.
static int64_t own_computations = 0;

static bool is_ours(std::initializer_list<Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (tensor.scalar_type() != at::kFloat) return false;
  }
  return true;
}

static float load(const char* data, int64_t offset) {
  const char* at = (is_device_pointer(data) ? bytes_of(data) : data) + offset;
  float value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Calls `f` with each row of elements of an iterator over floats.
template <typename F>
static void compute(at::TensorIterator& iter, F&& f) {
  ++own_computations;
  iter.for_each([&](char** data, const int64_t* strides, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const float value = f(data, strides, i);
      std::memcpy(bytes_of(data[0]) + i * strides[0], &value, sizeof(value));
    }
  });
}

static Tensor on_cpu(const Tensor& tensor) {
  return tensor.to(Device(c10::kCPU));
}

template <typename Host>
static Tensor& compute_on_cpu(Tensor& out, Host&& host) {
  Tensor result = at::empty({0}, out.options().device(c10::kCPU));
  host(result);
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

template <typename F, typename Host>
static Tensor& binary(const Tensor& self, const Tensor& other, Tensor& out, F&& f, Host&& host) {
  if (!is_ours({self, other, out})) return compute_on_cpu(out, host);
  at::TensorIterator iter;
  iter.build_binary_op(out, self, other);
  compute(iter, [&](char** data, const int64_t* strides, int64_t i) {
    return f(load(data[1], i * strides[1]), load(data[2], i * strides[2]));
  });
  return out;
}

Tensor& PrivateUse1NativeFunctions::add_out(
    const Tensor& self, const Tensor& other, const at::Scalar& alpha, Tensor& out) {
  const auto host = [&](Tensor& r) { at::add_out(r, on_cpu(self), on_cpu(other), alpha); };
  if (alpha.isComplex()) return compute_on_cpu(out, host);
  const float factor = alpha.to<float>();
  return binary(
      self, other, out, [=](float x, float y) { return x + factor * y; }, host);
}

Tensor& PrivateUse1NativeFunctions::sub_out(
    const Tensor& self, const Tensor& other, const at::Scalar& alpha, Tensor& out) {
  const auto host = [&](Tensor& r) { at::sub_out(r, on_cpu(self), on_cpu(other), alpha); };
  if (alpha.isComplex()) return compute_on_cpu(out, host);
  const float factor = alpha.to<float>();
  return binary(
      self, other, out, [=](float x, float y) { return x - factor * y; }, host);
}

Tensor& PrivateUse1NativeFunctions::mul_out(const Tensor& self, const Tensor& other, Tensor& out) {
  const auto host = [&](Tensor& r) { at::mul_out(r, on_cpu(self), on_cpu(other)); };
  return binary(
      self, other, out, [](float x, float y) { return x * y; }, host);
}

template <typename F, typename Host>
static Tensor& unary(const Tensor& self, Tensor& out, F&& f, Host&& host) {
  if (!is_ours({self, out})) return compute_on_cpu(out, host);
  at::TensorIterator iter;
  iter.build_unary_op(out, self);
  compute(iter, [&](char** data, const int64_t* strides, int64_t i) {
    return f(load(data[1], i * strides[1]));
  });
  return out;
}

Tensor& PrivateUse1NativeFunctions::neg_out(const Tensor& self, Tensor& out) {
  const auto host = [&](Tensor& r) { at::neg_out(r, on_cpu(self)); };
  return unary(
      self, out, [](float x) { return -x; }, host);
}

Tensor& PrivateUse1NativeFunctions::sqrt_out(const Tensor& self, Tensor& out) {
  const auto host = [&](Tensor& r) { at::sqrt_out(r, on_cpu(self)); };
  return unary(
      self, out, [](float x) { return std::sqrt(x); }, host);
}

// ---- views: other sizes and strides over the same storage
static Tensor view_of(
    const Tensor& base, ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides,
    int64_t offset) {
  Tensor view = at::detail::make_tensor<c10::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(base.storage()),
      base.key_set() - c10::autograd_dispatch_keyset, c10::scalarTypeToTypeMeta(dtype));
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return view;
}

Tensor PrivateUse1NativeFunctions::as_strided(
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
  return view_of(self, self.scalar_type(), size, stride, start);
}

Tensor PrivateUse1NativeFunctions::_reshape_alias(
    const Tensor& self, at::IntArrayRef size, at::IntArrayRef stride) {
  return view_of(self, self.scalar_type(), size, stride, self.storage_offset());
}

// The Meta device knows what the sizes and strides of a view are.
template <typename F>
static Tensor view_as_on_meta(const Tensor& self, F&& f) {
  const Tensor like =
      at::empty_strided(self.sizes(), self.strides(), self.options().device(c10::kMeta));
  const Tensor view = f(like);
  const int64_t offset = self.storage_offset() * static_cast<int64_t>(self.itemsize()) /
      static_cast<int64_t>(view.itemsize());
  return view_of(self, view.scalar_type(), view.sizes(), view.strides(), offset);
}

Tensor PrivateUse1NativeFunctions::view(const Tensor& self, at::IntArrayRef size) {
  return view_as_on_meta(self, [&](const Tensor& like) { return like.view(size); });
}
Tensor PrivateUse1NativeFunctions::unfold(
    const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return view_as_on_meta(
      self, [&](const Tensor& like) { return like.unfold(dimension, size, step); });
}
Tensor PrivateUse1NativeFunctions::view_as_real(const Tensor& self) {
  return view_as_on_meta(self, [](const Tensor& like) { return at::view_as_real(like); });
}
Tensor PrivateUse1NativeFunctions::view_as_complex(const Tensor& self) {
  TORCH_CHECK(self.storage_offset() % 2 == 0, "Tensor must have a storage_offset divisible by 2");
  return view_as_on_meta(self, [](const Tensor& like) { return at::view_as_complex(like); });
}

// ---- tensors that take over a storage, or need another size
static void grow(const Tensor& self) {
  const size_t bytes = c10::computeStorageNbytes(
      self.sizes(), self.strides(), self.itemsize(), static_cast<size_t>(self.storage_offset()));
  if (self.numel() > 0 && bytes > self.storage().nbytes()) {
    at::native::resize_bytes(self.storage().unsafeGetStorageImpl(), bytes);
  }
}

const Tensor& PrivateUse1NativeFunctions::resize_(
    const Tensor& self, at::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  if (self.sizes() != size) {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    grow(self);
  }
  if (format) {
    self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  }
  return self;
}

Tensor& PrivateUse1NativeFunctions::set_(
    Tensor& self, at::Storage source, int64_t offset, at::IntArrayRef size,
    at::IntArrayRef stride) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  const auto dense = c10::contiguous_strides(size);
  self.unsafeGetTensorImpl()->set_sizes_and_strides(
      size, stride.size() == size.size() ? stride : at::IntArrayRef(dense), offset);
  grow(self);
  return self;
}
Tensor& PrivateUse1NativeFunctions::set_(Tensor& self, at::Storage source) {
  const auto size = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_(self, std::move(source), 0, {&size, 1}, {});
}
Tensor& PrivateUse1NativeFunctions::set_(Tensor& self, const Tensor& source) {
  return self.is_same(source)
      ? self
      : set_(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}
Tensor& PrivateUse1NativeFunctions::set_(Tensor& self) {
  const int64_t none = 0;
  return set_(self, at::detail::empty_storage(self.device()), 0, {&none, 1}, {});
}

// What the Python module and the tests ask.
TORCH_LIBRARY(private_device, m) {
  m.def("current_device() -> int", [] { return static_cast<int64_t>(current_device()); });
  m.def("set_device(int index) -> ()", [](int64_t index) {
    set_current_device(static_cast<c10::DeviceIndex>(index));
  });
  m.def("blocks() -> int", [] { return statistics().blocks; });
  m.def("bytes() -> int", [] { return statistics().bytes; });
  m.def("copies() -> int", [] { return statistics().copies; });
  m.def("computations() -> int", [] { return own_computations; });
}

} // namespace private_device
