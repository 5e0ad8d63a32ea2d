#include <ATen/ViewMetaClasses.h>

#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>

#include <algorithm>
#include <numeric>

namespace at::functionalization {

namespace {

// The same elements in the order of memory that the geometry describes.
Tensor with_strides(const Tensor& value, const Geometry& wanted) {
  if (wanted.has_strides_of(value)) {
    return value;
  }
  c10::DimVector order(wanted.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return wanted.strides[a] > wanted.strides[b];
  });
  c10::DimVector inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[order[i]] = static_cast<int64_t>(i);
  }
  const Tensor ordered = at::permute(value, order).contiguous();
  Tensor result = at::permute(ordered, inverse);
  TORCH_CHECK_NOT_IMPLEMENTED(
      wanted.has_strides_of(result),
      "functionalization cannot view the memory of a tensor of sizes ", value.sizes(),
      " and strides ", IntArrayRef(wanted.strides),
      ", which has gaps or overlaps, after it was changed");
  return result;
}

// The step, for memory that begins elsewhere than that of the viewed tensor.
as_strided_ViewMeta moved(const as_strided_ViewMeta& step, const Tensor& memory) {
  as_strided_ViewMeta result(step);
  const int64_t offset = step.storage_offset.value_or(step.input.offset);
  result.storage_offset = offset - step.input.offset + memory.storage_offset();
  result.input = Geometry(*memory.unsafeGetTensorImpl());
  return result;
}

// Reshaping instead of a view that depends on strides; undefined for other views.
Tensor reshaped(const ViewMeta& step, const Tensor& base) {
  if (const auto* view = dynamic_cast<const view_ViewMeta*>(&step)) {
    return at::reshape(base, view->size);
  }
  if (const auto* alias = dynamic_cast<const _reshape_alias_ViewMeta*>(&step)) {
    return at::reshape(base, alias->size);
  }
  return {};
}

} // namespace

bool Geometry::has_strides_of(const Tensor& tensor) const {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1 && strides[i] != tensor.strides()[i]) {
      return false;
    }
  }
  return true;
}

ViewMeta::~ViewMeta() = default;

std::shared_ptr<const ViewMeta> ViewMeta::to_out_index(int64_t) const {
  TORCH_INTERNAL_ASSERT(false, name(), " has one view");
}

bool ViewMeta::reads_memory() const {
  return dynamic_cast<const as_strided_ViewMeta*>(this) != nullptr;
}

// The base for views with another dtype, which need adjacent elements.
Tensor ViewMeta::laid_out(const Tensor& base) const {
  const bool reads_bytes = dynamic_cast<const view_dtype_ViewMeta*>(this) != nullptr ||
      dynamic_cast<const view_as_complex_ViewMeta*>(this) != nullptr;
  return reads_bytes && !input.has_strides_of(base) ? base.contiguous() : base;
}

c10::IValue ViewMeta::replay_all(const Tensor& base) const {
  if (const auto* strided = dynamic_cast<const as_strided_ViewMeta*>(this)) {
    const Tensor memory = with_strides(base, input);
    return moved(*strided, memory).forward(memory);
  }
  if (reapply_views && !input.has_strides_of(base)) {
    if (Tensor value = reshaped(*this, base); value.defined()) {
      return value;
    }
  }
  return forward(laid_out(base));
}

Tensor ViewMeta::replay(const Tensor& base) const {
  const c10::IValue values = replay_all(base);
  return values.isTensorList() ? values.toTensorList()[out_index] : values.toTensor();
}

Tensor ViewMeta::undo(const Tensor& base, const Tensor& mutated_view) const {
  if (const auto* strided = dynamic_cast<const as_strided_ViewMeta*>(this)) {
    const Tensor memory = with_strides(base, input);
    return moved(*strided, memory).reverse(memory, mutated_view);
  }
  return reverse(laid_out(base), mutated_view);
}

} // namespace at::functionalization
