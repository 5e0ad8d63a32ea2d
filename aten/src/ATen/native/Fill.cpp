// fill_ and zero_.

#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/fill_native.h>
#include <ATen/ops/zero_native.h>

#include <cstring>

namespace at::native {

namespace {

void fill_bytes(const Tensor& self, const ScalarBytes& value) {
  if (self.is_non_overlapping_and_dense()) {
    fill_elements(self.mutable_data_ptr(), self.numel(), value, self.itemsize());
    return;
  }
  auto iter = TensorIterator::borrowing_nullary_op(self);
  dispatch_itemsize(self.itemsize(), [&](auto tag) {
    using T = decltype(tag);
    T element;
    std::memcpy(&element, value.data, sizeof(T));
    iter.for_each([element](char** data, const int64_t* strides, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(data[0] + i * strides[0], &element, sizeof(T));
      }
    });
  });
}

void check_fill_value(const Tensor& value) {
  TORCH_CHECK(
      value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
      value.dim(), " dimensions.");
}

} // namespace

Tensor& fill_(Tensor& self, const Scalar& value) {
  fill_bytes(self, scalar_bytes(value, self.scalar_type()));
  return self;
}

Tensor& fill_(Tensor& self, const Tensor& value) {
  check_fill_value(value);
  TORCH_CHECK_NOT_IMPLEMENTED(!value.is_meta(), "Cannot copy out of meta tensor; no data!");
  ScalarBytes bytes;
  convert_value(bytes.data, self.scalar_type(), value.const_data_ptr(), value.scalar_type());
  fill_bytes(self, bytes);
  return self;
}

Tensor& fill_meta_(Tensor& self, const Scalar&) {
  return self;
}

Tensor& fill_meta_(Tensor& self, const Tensor& value) {
  check_fill_value(value);
  return self;
}

Tensor fill(const Tensor& self, const Scalar& value) {
  return at::methods::fill_(at::empty_like(self), value);
}
Tensor fill(const Tensor& self, const Tensor& value) {
  return at::methods::fill_(at::empty_like(self), value);
}

Tensor& zero_(Tensor& self) {
  if (self.is_non_overlapping_and_dense()) {
    zero_bytes(self.mutable_data_ptr(), self.nbytes());
  } else {
    fill_bytes(self, ScalarBytes());
  }
  return self;
}

Tensor& zero_meta_(Tensor& self) {
  return self;
}

} // namespace at::native
