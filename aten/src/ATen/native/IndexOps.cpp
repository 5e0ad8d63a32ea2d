// index and index_put: Python's indexing with tensors.

#include <ATen/native/AdvancedIndex.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/AccumulateElements.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SameDevice.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/_index_put_impl.h>
#include <ATen/ops/_index_put_impl_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/index_native.h>
#include <ATen/ops/index_put_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

void take(const AdvancedIndex& plan, const Tensor& self, const Tensor& out) {
  if (self.is_meta() || out.numel() == 0) {
    return;
  }
  IndexedLoop loop = plan.loop(out, self);
  take_indexed(self.device().type(), loop, self.scalar_type());
}

} // namespace

Tensor index(const Tensor& self, const IndexList& indices) {
  if (whole_mask(self, indices) != nullptr) {
    return at::masked_select(self, *indices[0]);
  }
  const AdvancedIndex plan(self, indices);
  Tensor result = plan.empty_result(self);
  take(plan, self, result);
  return result;
}

Tensor& index_out(const Tensor& self, const IndexList& indices, Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(), "index_out: self (", self.scalar_type(),
      ") and result (", result.scalar_type(), ") must have the same scalar type");
  check_same_device(self, result);
  const AdvancedIndex plan(self, indices);
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].has_value() && indices[i]->defined()) {
      at::assert_no_overlap(result, *indices[i]);
    }
  }
  resize_output(result, plan.sizes);
  take(plan, self, result);
  return result;
}

namespace {

// Returns the mask if one bool mask is set to one number; this is masked_fill_.
Tensor mask_to_fill(const Tensor& self, const IndexList& indices, const Tensor& values) {
  if (values.numel() != 1 || !values.device().is_cpu()) {
    return {};
  }
  Tensor mask;
  int64_t dims_before = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<Tensor>& entry = indices[i];
    if (!entry.has_value() || !entry->defined()) {
      dims_before += mask.defined() ? 0 : 1;
      continue;
    }
    if (mask.defined() || entry->scalar_type() != kBool) {
      return {};
    }
    mask = *entry;
  }
  if (!mask.defined() || dims_before + mask.dim() > self.dim()) {
    return {};
  }
  for (int64_t i = 0; i < mask.dim(); ++i) {
    if (mask.size(i) != self.size(dims_before + i)) {
      return {};
    }
  }
  for (int64_t i = dims_before + mask.dim(); i < self.dim(); ++i) {
    mask = at::unsqueeze(mask, -1);
  }
  return mask;
}

Tensor expand_values(const Tensor& values, IntArrayRef sizes) {
  if (values.sizes() == sizes) {
    return values;
  }
  // Leading dimensions of size one are dropped: x[i] = v broadcasts v as NumPy does.
  Tensor trimmed = values;
  while (trimmed.dim() > static_cast<int64_t>(sizes.size()) && trimmed.size(0) == 1) {
    trimmed = at::squeeze(trimmed, 0);
  }
  TORCH_CHECK(
      at::is_expandable_to(trimmed.sizes(), sizes), "shape mismatch: value tensor of shape ",
      values.sizes(), " cannot be broadcast to indexing result of shape ", sizes);
  return at::methods::expand(trimmed, sizes);
}

} // namespace

Tensor& _index_put_impl_(
    Tensor& self, const IndexList& indices, const Tensor& values, bool accumulate,
    bool /*unsafe*/) {
  if (at::has_internal_overlap(self) == MemOverlap::Yes) {
    TORCH_WARN(
        "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before "
        "performing this operation. This also applies to advanced indexing e.g. "
        "tensor[indices] = tensor");
  }
  if (!accumulate && !self.is_meta()) {
    const Tensor mask = mask_to_fill(self, indices, values);
    if (mask.defined()) {
      const bool here = mask.device() == self.device();
      return at::methods::masked_fill_(
          self, here ? mask : at::methods::to(mask, self.device(), kBool),
          at::methods::item(values));
    }
  }
  TORCH_CHECK(
      self.scalar_type() == values.scalar_type(),
      "Index put requires the source and destination dtypes match, got ", self.scalar_type(),
      " for the destination and ", values.scalar_type(), " for the source.");
  check_movable_dtype(self.scalar_type(), "index_put");
  TORCH_CHECK(
      values.device() == self.device() || (values.dim() == 0 && values.is_cpu()),
      "expected self and values to be on the same device, but got ", self.device(), " and ",
      values.device());
  at::assert_no_overlap(self, values);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].has_value() && indices[i]->defined()) {
      at::assert_no_overlap(self, *indices[i]);
    }
  }
  const AdvancedIndex plan(self, indices);
  const Tensor source = expand_values(values, plan.sizes);
  if (self.is_meta() || source.numel() == 0) {
    return self;
  }
  IndexedLoop loop = plan.loop(source, self);
  loop.number = values.is_cpu() && !self.is_cpu();
  const c10::DeviceType device = self.device().type();
  if (accumulate) {
    add_indexed(device, loop, self.scalar_type(), 1, "index_put");
  } else {
    put_indexed(device, loop, self.scalar_type());
  }
  return self;
}

Tensor& index_put_(Tensor& self, const IndexList& indices, const Tensor& values, bool accumulate) {
  return at::_index_put_impl_(self, indices, values, accumulate, /*unsafe=*/false);
}

Tensor index_put(
    const Tensor& self, const IndexList& indices, const Tensor& values, bool accumulate) {
  Tensor result = at::clone(self);
  return at::_index_put_impl_(result, indices, values, accumulate, /*unsafe=*/false);
}

} // namespace at::native
