#include <ATen/FunctionalStorageImpl.h>

#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape_ops.h>
#include <ATen/ops/view_as_complex_ops.h>
#include <ATen/ops/view_ops.h>
#include <c10/core/GradMode.h>
#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace at::functionalization {

namespace {

bool is(const c10::OperatorHandle& op, const c10::OperatorEntry& entry) {
  return &op.entry() == &entry;
}

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

size_t bytes_of(const Tensor& value) {
  return value.has_storage()
      ? value.storage().nbytes()
      : c10::computeStorageNbytes(
            value.sizes(), value.strides(), value.itemsize(), value.storage_offset());
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

bool ViewMeta::reads_memory() const {
  return is(operators->view, at::_ops::as_strided::entry);
}

// A value's elements may lie in memory differently than those of the tensor that it stands for.
// Operators for which that matters get a copy, or are replaced by one that makes it.
c10::OperatorHandle ViewMeta::operator_for(const Tensor& base) const {
  if (!reapply_views && operators->copy) {
    return *operators->copy;
  }
  const bool reshapes = is(operators->view, at::_ops::view::entry) ||
      is(operators->view, at::_ops::_reshape_alias::entry);
  return reshapes && !input.has_strides_of(base) ? c10::OperatorHandle(at::_ops::reshape::entry)
                                                 : operators->view;
}

// Fills the arguments after self; returns self.
Tensor ViewMeta::prepared(const Tensor& base, torch::jit::Stack& stack) const {
  stack = arguments;
  if (reads_memory()) {
    Tensor laid_out = with_strides(base, input);
    constexpr size_t kOffset = 2;
    const int64_t offset = stack[kOffset].isNone() ? input.offset : stack[kOffset].toInt();
    stack[kOffset] = offset - input.offset + laid_out.storage_offset();
    return laid_out;
  }
  // Views with another dtype need adjacent elements.
  const bool reads_bytes = is(operators->view, at::_ops::view_dtype::entry) ||
      is(operators->view, at::_ops::view_as_complex::entry);
  return reads_bytes && !input.has_strides_of(base) ? base.contiguous() : base;
}

torch::jit::Stack ViewMeta::forward_all(const Tensor& base) const {
  torch::jit::Stack rest;
  const Tensor self = prepared(base, rest);
  const c10::OperatorHandle op = operator_for(base);
  torch::jit::Stack stack;
  stack.emplace_back(self);
  stack.insert(stack.end(), rest.begin(), rest.end());
  stack.resize(op.schema().arguments().size()); // reshape takes no strides
  op.callBoxed(stack);
  return stack;
}

Tensor ViewMeta::forward(const Tensor& base) const {
  const torch::jit::Stack results = forward_all(base);
  return is_multi_output ? results[0].toTensorList()[out_index] : results[0].toTensor();
}

Tensor ViewMeta::reverse(const Tensor& base, const Tensor& mutated_view) const {
  torch::jit::Stack rest;
  const Tensor self = prepared(base, rest);
  const auto mode =
      reapply_views ? InverseReturnMode::ViewOrScatterInverse : InverseReturnMode::NeverView;
  return operators->inverse(self, mutated_view, mode, out_index, rest.data());
}

FunctionalStorageImpl::FunctionalStorageImpl(const Tensor& base)
    : StorageImpl(
          use_byte_size_t{}, bytes_of(base), c10::DataPtr(nullptr, base.device()), nullptr,
          /*resizable=*/true),
      base_(base),
      geometry_(*base.unsafeGetTensorImpl()) {}

void FunctionalStorageImpl::add_update(const Tensor& value, const std::vector<ViewMeta>& views) {
  TORCH_CHECK(!frozen_, "cannot mutate tensors with frozen storage");
  if (views.empty()) {
    updates_.clear(); // the base is replaced whole
    base_ = value;
    if (IntArrayRef(geometry_.sizes) != value.sizes()) {
      geometry_ = Geometry(*value.unsafeGetTensorImpl());
      set_nbytes(bytes_of(value));
    }
  } else {
    updates_.push_back({value, views});
  }
  ++generation_;
}

bool FunctionalStorageImpl::apply_updates() {
  const bool any = !updates_.empty();
  for (const Update& update : std::exchange(updates_, {})) {
    apply(update);
  }
  return any;
}

void FunctionalStorageImpl::apply(const Update& update) {
  std::vector<Tensor> bases{base_};
  for (size_t i = 0; i + 1 < update.views.size(); ++i) {
    bases.push_back(update.views[i].forward(bases.back()));
  }
  Tensor value = update.value;
  for (size_t i = update.views.size(); i-- > 0;) {
    value = update.views[i].reverse(bases[i], value);
  }
  base_ = std::move(value);
}

void FunctionalStorageImpl::mark_mutation() {
  ++mutations_;
  if (!c10::GradMode::is_enabled()) {
    ++mutations_without_grad_;
  }
}

} // namespace at::functionalization
