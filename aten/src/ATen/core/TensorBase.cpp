#include <ATen/core/TensorBase.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/contiguous.h>

#include <iostream>

namespace at {

MemoryFormat TensorBase::suggest_memory_format(bool channels_last_strides_exact_match) const {
  if (impl_->is_strides_like_channels_last()) {
    if (!channels_last_strides_exact_match ||
        strides() == IntArrayRef(c10::get_channels_last_strides_2d(sizes()))) {
      return MemoryFormat::ChannelsLast;
    }
  } else if (impl_->is_strides_like_channels_last_3d()) {
    if (!channels_last_strides_exact_match ||
        strides() == IntArrayRef(c10::get_channels_last_strides_3d(sizes()))) {
      return MemoryFormat::ChannelsLast3d;
    }
  }
  return MemoryFormat::Contiguous;
}

TensorBase TensorBase::__dispatch_contiguous(MemoryFormat format) const {
  return at::_ops::contiguous::call(Tensor(*this), format);
}

void TensorBase::throw_wrong_dtype(ScalarType expected) const {
  TORCH_CHECK(false, "expected scalar type ", expected, " but found ", scalar_type());
}

std::string TensorBase::toString() const {
  if (!defined()) {
    return "UndefinedType";
  }
  const c10::Backend backend =
      c10::dispatchKeyToBackend((key_set() & c10::backend_dispatch_keyset).highestPriorityTypeId());
  // The oldest dtypes go by the names of Python's classes.
  const bool has_class = scalar_type() <= kDouble;
  if (has_class && (backend == c10::Backend::CPU || backend == c10::Backend::CUDA)) {
    const char* const module = backend == c10::Backend::CPU ? "torch." : "torch.cuda.";
    return c10::str(module, c10::toString(scalar_type()), "Tensor");
  }
  return c10::str(c10::toString(backend), c10::toString(scalar_type()), "Type");
}

void TensorBase::print() const {
  if (defined()) {
    std::cerr << "[" << toString() << " " << sizes() << "]\n";
  } else {
    std::cerr << "[UndefinedTensor]\n";
  }
}

} // namespace at
