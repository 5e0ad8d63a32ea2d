#include <ATen/native/MaskedFill.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/SameDevice.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/item.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/masked_fill_native.h>

namespace at::native {

DEFINE_DISPATCH(masked_fill_row_stub);

namespace {

void check_masked_fill(const Tensor& self, const Tensor& mask) {
  check_not_storage_dtype(self.scalar_type(), "masked_fill");
  TORCH_CHECK(
      mask.scalar_type() == kBool,
      "masked_fill_ only supports boolean masks, but got mask with dtype ", mask.dtype());
}

Scalar fill_value(const Tensor& value) {
  TORCH_CHECK(
      value.dim() == 0,
      "masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
      "with ",
      value.dim(), " dimension(s).");
  // A number on the Meta device has no value; only the shapes are computed.
  return value.is_meta() ? Scalar(0) : at::methods::item(value);
}

bool have_same_layout(const Tensor& self, const Tensor& mask) {
  return self.sizes() == mask.sizes() && self.strides() == mask.strides() &&
      self.is_non_overlapping_and_dense();
}

// `out`, `self` and `mask` have the same shape and memory layout.
void fill_dense(
    const Tensor& out, const Tensor& self, const Tensor& mask, const ScalarBytes& value) {
  const auto itemsize = static_cast<int64_t>(self.itemsize());
  auto* to = static_cast<char*>(out.mutable_data_ptr());
  const auto* from = static_cast<const char*>(self.const_data_ptr());
  const auto* chosen = mask.const_data_ptr<bool>();
  at::parallel_for(0, self.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    masked_fill_row_stub(
        self.device().type(), to + begin * itemsize, from + begin * itemsize, chosen + begin,
        end - begin, itemsize, itemsize, 1, value.data, itemsize);
  });
}

// In place, with any strides; `mask` is already expanded to the shape of self.
void fill_strided(const Tensor& self, const Tensor& mask, const ScalarBytes& value) {
  const size_t itemsize = self.itemsize();
  auto iterator = TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .add_output(self)
                      .add_const_input(mask)
                      .build();
  iterator.for_each([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t i = 0; i < size1; ++i) {
      char* out = data[0] + i * strides[2];
      const auto* chosen = reinterpret_cast<const bool*>(data[1] + i * strides[3]);
      masked_fill_row_stub(
          self.device().type(), out, out, chosen, size0, strides[0], strides[0], strides[1],
          value.data, itemsize);
    }
  });
}

void masked_fill_kernel(const Tensor& self, const Tensor& mask, const ScalarBytes& value) {
  if (have_same_layout(self, mask)) {
    fill_dense(self, self, mask, value);
  } else {
    fill_strided(self, mask, value);
  }
}

} // namespace

DEFINE_DISPATCH(masked_fill_stub);
REGISTER_DISPATCH(masked_fill_stub, &masked_fill_kernel)

Tensor& masked_fill__cpu(Tensor& self, const Tensor& mask, const Scalar& value) {
  check_masked_fill(self, mask);
  check_same_device(self, mask);
  at::assert_no_partial_overlap(self, mask);
  const auto expanded = at::expand_inplace(self, mask, "masked_fill_");
  if (self.is_meta() || self.numel() == 0) {
    return self;
  }
  if (at::has_internal_overlap(self) == MemOverlap::Yes) {
    TORCH_WARN(
        "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before "
        "performing this operation. This also applies to advanced indexing e.g. "
        "tensor[mask] = scalar");
  }
  const ScalarBytes bytes = scalar_bytes(value, self.scalar_type());
  masked_fill_stub(self.device().type(), self, *expanded, bytes);
  return self;
}

Tensor& masked_fill__cpu(Tensor& self, const Tensor& mask, const Tensor& value) {
  return masked_fill__cpu(self, mask, fill_value(value));
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  if (self.is_cpu() && mask.is_cpu() && self.is_contiguous() && have_same_layout(self, mask)) {
    check_masked_fill(self, mask);
    const ScalarBytes bytes = scalar_bytes(value, self.scalar_type());
    Tensor result = at::empty_like(self);
    fill_dense(result, self, mask, bytes);
    return result;
  }
  const auto [expanded_self, expanded_mask] = at::expand_outplace(self, mask, "masked_fill");
  Tensor result = at::clone(*expanded_self, MemoryFormat::Contiguous);
  return at::methods::masked_fill_(result, *expanded_mask, value);
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return native::masked_fill(self, mask, fill_value(value));
}

} // namespace at::native
