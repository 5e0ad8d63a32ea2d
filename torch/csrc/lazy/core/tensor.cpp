#include <torch/csrc/lazy/core/tensor.h>

#include <ATen/MemoryOverlap.h>
#include <ATen/ops/clone.h>
#include <c10/core/TensorImpl.h>
#include <torch/csrc/lazy/backend/backend_interface.h>
#include <torch/csrc/lazy/core/direct_calls.h>
#include <torch/csrc/lazy/core/executor.h>
#include <torch/csrc/lazy/core/metrics.h>
#include <torch/csrc/lazy/core/nodes.h>

#include <atomic>

namespace torch::lazy {

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::Lazy);

std::recursive_mutex& trace_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

void delete_data(void* data) {
  delete static_cast<LazyData*>(data);
}

size_t bytes_of(const Shape& shape) {
  return c10::computeStorageNbytesContiguous(shape.sizes, c10::elementSize(shape.dtype));
}

c10::Storage make_storage(Value value) {
  backend(); // raises if there is none, before anything is recorded
  const size_t bytes = bytes_of(value.shape());
  c10::DataPtr data(nullptr, new LazyData(std::move(value)), &delete_data, kLazyDevice);
  return c10::Storage(
      c10::Storage::use_byte_size_t(), bytes, std::move(data), /*allocator=*/nullptr,
      /*resizable=*/true);
}

Shape shape_of(const at::Tensor& tensor) {
  return Shape(tensor.scalar_type(), tensor.sizes(), tensor.strides());
}

// The value of a Python number, which does not decide the dtype of results.
Value as_number(const Value& value) {
  Shape shape = value.shape();
  shape.is_wrapped_number = true;
  return Value(MakeNode<Copy>(value, shape));
}

// Whether the tensor's elements are exactly those of its storage.
bool covers_storage(const at::Tensor& tensor) {
  return tensor.storage_offset() == 0 && tensor.is_non_overlapping_and_dense() &&
      tensor.nbytes() == tensor.storage().nbytes();
}

} // namespace

TraceLock::TraceLock() : lock_(trace_mutex()) {}

LazyData::LazyData(Value value) : value_(std::move(value)) {
  static std::atomic<int64_t> next_id{1};
  id_ = next_id++;
  TORCH_LAZY_COUNTER("CreateLtcTensor", 1);
  LazyGraphExecutor::get().add(this);
}

LazyData::~LazyData() {
  TORCH_LAZY_COUNTER("DestroyLtcTensor", 1);
  LazyGraphExecutor::get().remove(this);
}

void LazyData::set_value(Value value) {
  value_ = std::move(value);
  views_.clear();
}

Value LazyData::view(const Shape& shape, int64_t offset) {
  TORCH_CHECK(
      shape.dtype == value_.shape().dtype, "the storage has elements of ", value_.shape().dtype,
      ", which the lazy device cannot read as ", shape.dtype);
  if (offset == 0 && value_.shape().same_places(shape.sizes, shape.strides)) {
    return value_;
  }
  for (const View& known : views_) {
    if (known.offset == offset && known.shape.same_places(shape.sizes, shape.strides)) {
      return known.value;
    }
  }
  Value value(MakeNode<StridedView>(value_, shape, offset));
  views_.push_back({shape, offset, value});
  return value;
}

LazyData& data_of(const at::Tensor& tensor) {
  TORCH_CHECK(is_lazy(tensor), "expected a tensor on the lazy device");
  void* data = tensor.storage().data_ptr().get_context();
  TORCH_CHECK(data, "this storage of the lazy device has no data");
  return *static_cast<LazyData*>(data);
}

Value value_of(const at::Tensor& tensor) {
  const bool is_number = tensor.defined() && tensor.unsafeGetTensorImpl()->is_wrapped_number();
  if (is_lazy(tensor)) {
    Value value = data_of(tensor).view(shape_of(tensor), tensor.storage_offset());
    return is_number && !value.shape().is_wrapped_number ? as_number(value) : value;
  }
  TORCH_CHECK(
      tensor.defined() && tensor.is_cpu() && tensor.dim() == 0,
      "Expected all tensors to be on the same device, but found at least two devices, ",
      kLazyDevice, " and ", tensor.defined() ? tensor.device() : c10::Device(c10::kCPU), "!");
  const DirectCalls guard;
  at::Tensor data = at::clone(tensor);
  data.unsafeGetTensorImpl()->set_wrapped_number(is_number);
  return Value(MakeNode<DeviceData>(std::move(data)));
}

std::optional<Value> value_of(const std::optional<at::Tensor>& tensor) {
  return tensor && tensor->defined() ? std::optional(value_of(*tensor)) : std::nullopt;
}

std::vector<Value> value_of(at::TensorList tensors) {
  std::vector<Value> values;
  values.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    values.push_back(value_of(tensor));
  }
  return values;
}

at::Tensor tensor_of(Value value) {
  const Shape shape = value.shape();
  if (!shape.defined()) {
    return {};
  }
  auto impl = c10::make_intrusive<c10::TensorImpl>(
      make_storage(std::move(value)), kKeys, c10::scalarTypeToTypeMeta(shape.dtype));
  impl->set_sizes_and_strides(shape.sizes, shape.strides);
  impl->set_wrapped_number(shape.is_wrapped_number);
  return at::Tensor(std::move(impl));
}

at::Tensor view_of(
    const at::Tensor& tensor, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset) {
  return at::Tensor(c10::make_view_impl(*tensor.unsafeGetTensorImpl(), sizes, strides, offset));
}

void assign(const at::Tensor& tensor, Value value) {
  LazyData& data = data_of(tensor);
  const Shape shape = shape_of(tensor);
  if (covers_storage(tensor)) {
    const bool in_order = value.shape().same_places(shape.sizes, shape.strides) &&
        value.shape().is_wrapped_number == false;
    data.set_value(in_order ? std::move(value) : Value(MakeNode<Copy>(value, shape)));
    return;
  }
  at::assert_no_internal_overlap(tensor);
  data.set_value(
      MakeNode<StridedUpdate>(data.value(), std::move(value), shape, tensor.storage_offset()));
}

void grow_storage(const at::Tensor& tensor) {
  const size_t bytes = c10::computeStorageNbytes(
      tensor.sizes(), tensor.strides(), tensor.itemsize(),
      static_cast<size_t>(tensor.storage_offset()));
  if (tensor.numel() == 0 || bytes <= tensor.storage().nbytes()) {
    return;
  }
  LazyData& data = data_of(tensor);
  const auto elements = static_cast<int64_t>(bytes / tensor.itemsize());
  data.set_value(MakeNode<ResizedStorage>(data.value(), elements));
  tensor.storage().set_nbytes(bytes);
}

} // namespace torch::lazy
