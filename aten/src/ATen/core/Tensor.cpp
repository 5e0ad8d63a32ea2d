#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/item.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/to.h>

#include <c10/core/Backend.h>
#include <c10/util/Exception.h>

// Handwritten members of at::Tensor: operators, assignment to a view, item<T>.
namespace at {

Tensor& Tensor::operator=(const Scalar& value) && {
  return at::methods::fill_(*this, value);
}
Tensor& Tensor::operator=(const Tensor& other) && {
  return at::methods::copy_(*this, other);
}
Tensor& Tensor::operator=(Tensor&& other) && {
  return at::methods::copy_(*this, other);
}

Tensor Tensor::contiguous_copy(MemoryFormat memory_format) const {
  TORCH_CHECK(
      memory_format != MemoryFormat::Preserve,
      "preserve memory format is unsupported by the contiguous operator");
  return at::clone(*this, memory_format);
}

Tensor Tensor::cpu() const {
  return at::methods::to(
      *this, options().device(DeviceType::CPU), /*non_blocking=*/false, /*copy=*/false);
}
Tensor Tensor::toType(ScalarType type) const {
  return at::methods::to(*this, type);
}

Tensor Tensor::toBackend(Backend backend) const {
  switch (c10::backendToDispatchKey(backend)) {
#define AT_TO_BACKEND(type, number, name) \
  case c10::DispatchKey::type:            \
    return at::methods::to(*this, options().device(DeviceType::type));
    C10_FORALL_DISPATCHED_DEVICE_TYPES(AT_TO_BACKEND)
#undef AT_TO_BACKEND
    default:
      TORCH_CHECK(false, "no tensors of the backend ", c10::toString(backend));
  }
}

Tensor Tensor::operator~() const {
  return at::bitwise_not(*this);
}
Tensor Tensor::operator-() const {
  return at::neg(*this);
}

#define AT_SIGN_IN_PLACE_(sign, method)                \
  Tensor& Tensor::operator sign(const Tensor& other) { \
    return at::methods::method(*this, other);          \
  }
#define AT_SIGN_IN_PLACE_BOTH_(sign, method)           \
  AT_SIGN_IN_PLACE_(sign, method)                      \
  Tensor& Tensor::operator sign(const Scalar& other) { \
    return at::methods::method(*this, other);          \
  }
AT_SIGN_IN_PLACE_BOTH_(+=, add_)
AT_SIGN_IN_PLACE_BOTH_(-=, sub_)
AT_SIGN_IN_PLACE_BOTH_(*=, mul_)
AT_SIGN_IN_PLACE_BOTH_(/=, div_)
AT_SIGN_IN_PLACE_(&=, bitwise_and_)
AT_SIGN_IN_PLACE_(|=, bitwise_or_)
AT_SIGN_IN_PLACE_(^=, bitwise_xor_)
#undef AT_SIGN_IN_PLACE_BOTH_
#undef AT_SIGN_IN_PLACE_

Tensor Tensor::operator[](int64_t index) const {
  return at::select(*this, 0, index);
}
Tensor Tensor::operator[](const Scalar& index) const {
  TORCH_CHECK_INDEX(
      index.isIntegral(/*includeBool=*/false), "Can only index tensors with integral scalars");
  return at::select(*this, 0, index.toLong());
}
Tensor Tensor::operator[](const Tensor& index) const {
  TORCH_CHECK_INDEX(index.defined(), "Can only index with tensors that are defined");
  TORCH_CHECK_INDEX(
      index.dim() == 0,
      "Can only index with tensors that are scalars (zero-dim); use index() otherwise");
  return (*this)[at::methods::item(index)];
}

const Tensor& Tensor::set_requires_grad(bool requires_grad) const {
  TensorBase::set_requires_grad(requires_grad);
  return *this;
}
const Tensor& Tensor::requires_grad_(bool requires_grad) const {
  TensorBase::requires_grad_(requires_grad);
  return *this;
}

template <typename T>
T Tensor::item() const {
  return at::methods::item(*this).to<T>();
}
#define AT_ITEM_(type, name, number) template TORCH_API type Tensor::item<type>() const;
C10_FORALL_SCALAR_TYPES(AT_ITEM_)
#undef AT_ITEM_

} // namespace at
