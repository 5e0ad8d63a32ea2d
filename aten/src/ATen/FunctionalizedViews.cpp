#include <ATen/FunctionalizedCall.h>

#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/view_copy.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace at::functionalization {

void FunctionalizedCall::make_view(const ViewOperators& operators) {
  const Tensor self = arguments_[0].toTensor();
  FunctionalTensorWrapper* const wrapper = own(self);
  TORCH_INTERNAL_ASSERT(wrapper, "views have one tensor argument");
  wrapper->sync_();
  const std::shared_ptr<const ViewMeta> step = step_from(*wrapper, operators);
  const IValue geometries = geometries_of(operators.view, *wrapper);
  const ViewSteps views = step->reads_memory() ? ViewSteps() : wrapper->view_metas();
  const IValue values = forward(*step, *wrapper);
  if (!values.isTensorList()) {
    stack_.push_back(view_of(*wrapper, views, step, values.toTensor(), geometries.toTensor()));
    return;
  }
  std::vector<Tensor> results;
  for (const Tensor& value : values.toTensorList()) {
    const size_t index = results.size();
    results.push_back(view_of(
        *wrapper, views, step->to_out_index(static_cast<int64_t>(index)), value,
        geometries.toTensorList()[index]));
  }
  stack_.push_back(std::move(results));
}

std::shared_ptr<const ViewMeta> FunctionalizedCall::step_from(
    const FunctionalTensorWrapper& wrapper, const ViewOperators& operators) const {
  const bool reapply = impl::reapplies_views(level_);
  if (&operators.view.entry() != &at::_ops::as_strided::entry) {
    return operators.step(reapply, Geometry(wrapper), &arguments_[1]);
  }
  // Relative to the whole memory, which other views may have changed.
  Stack arguments(arguments_.begin() + 1, arguments_.end());
  constexpr size_t kOffset = 2;
  if (arguments[kOffset].isNone()) {
    arguments[kOffset] = wrapper.storage_offset();
  }
  return operators.step(reapply, wrapper.functional_storage_impl()->geometry(), arguments.data());
}

IValue FunctionalizedCall::forward(
    const ViewMeta& step, const FunctionalTensorWrapper& wrapper) const {
  const impl::BelowLevel guard(level_);
  if (!step.reads_memory()) {
    return step.replay_all(wrapper.value());
  }
  wrapper.functional_storage_impl()->apply_updates();
  return step.replay_all(wrapper.functional_storage_impl()->base());
}

Tensor FunctionalizedCall::view_of(
    const FunctionalTensorWrapper& base, ViewSteps views,
    const std::shared_ptr<const ViewMeta>& step, const Tensor& value, const Tensor& geometry) {
  views.push_back(step);
  return Tensor(c10::intrusive_ptr<c10::TensorImpl>(c10::make_intrusive<FunctionalTensorWrapper>(
      value, base, std::move(views), Geometry(*geometry.unsafeGetTensorImpl()))));
}

// Tensors without data that have the geometry of the views.
IValue FunctionalizedCall::geometries_of(
    const OperatorHandle& view, const FunctionalTensorWrapper& wrapper) const {
  c10::Storage memory(
      c10::Storage::use_byte_size_t{}, wrapper.functional_storage_impl()->nbytes(),
      c10::DataPtr(nullptr, c10::Device(kMeta)));
  auto stand_in = c10::make_intrusive<c10::TensorImpl>(
      std::move(memory), DispatchKeySet(DispatchKey::Meta), wrapper.dtype());
  stand_in->set_sizes_and_strides(wrapper.sizes(), wrapper.strides(), wrapper.storage_offset());
  Stack stack{IValue(Tensor(c10::intrusive_ptr<c10::TensorImpl>(std::move(stand_in))))};
  stack.insert(stack.end(), arguments_.begin() + 1, arguments_.end());
  view.redispatchBoxed(DispatchKeySet(DispatchKey::Meta), &stack);
  return stack[0];
}

void FunctionalizedCall::become_view(const ViewOperators& operators) {
  FunctionalTensorWrapper* const wrapper = own(arguments_[0].toTensor());
  TORCH_INTERNAL_ASSERT(wrapper, "views have one tensor argument");
  const Tensor geometry = geometries_of(operators.view, *wrapper).toTensor();
  wrapper->mutate_view_meta(
      step_from(*wrapper, operators), Geometry(*geometry.unsafeGetTensorImpl()));
  stack_.push_back(std::move(arguments_[0]));
}

// To no more elements than the memory has, this is a view. More elements need new memory, in
// which eager execution leaves them undefined.
void FunctionalizedCall::resize() {
  const Tensor self = arguments_[0].toTensor();
  const std::vector<int64_t> size = arguments_[1].toIntList();
  FunctionalTensorWrapper* const wrapper = impl::unsafeGetFunctionalWrapper(self);
  TORCH_CHECK_NOT_IMPLEMENTED(
      arguments_[2].isNone() ||
          arguments_[2].toInt() == static_cast<int64_t>(MemoryFormat::Contiguous),
      "resize_ to another memory format inside functionalize");
  int64_t count = 1;
  for (const int64_t each : size) {
    count *= each;
  }
  const auto available =
      static_cast<int64_t>(wrapper->functional_storage_impl()->nbytes() / wrapper->itemsize());
  if (self.sizes() != IntArrayRef(size)) {
    if (wrapper->storage_offset() + count <= available) {
      view_memory(*wrapper, size);
    } else {
      grow(*wrapper, size, count);
    }
  }
  stack_.push_back(self);
}

void FunctionalizedCall::view_memory(
    FunctionalTensorWrapper& wrapper, const std::vector<int64_t>& size) {
  std::vector<int64_t> strides(size.size());
  int64_t stride = 1;
  for (size_t i = size.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(size[i], 1);
  }
  arguments_ = {arguments_[0], size, strides, wrapper.storage_offset()};
  become_view(*find_view(at::_ops::as_strided::entry));
  stack_.pop_back();
}

void FunctionalizedCall::grow(
    FunctionalTensorWrapper& wrapper, IntArrayRef size, int64_t count) const {
  wrapper.sync_();
  const impl::BelowLevel guard(level_);
  const auto reshaped = [&](const Tensor& tensor, IntArrayRef shape) {
    return impl::reapplies_views(level_) ? at::reshape(tensor, shape)
                                         : at::view_copy(tensor, shape);
  };
  const Tensor flat = reshaped(wrapper.value(), {-1});
  const Tensor rest = at::zeros({count - flat.numel()}, flat.options());
  wrapper.maybe_replace_storage(reshaped(at::cat({flat, rest}), size));
}

void FunctionalizedCall::set() {
  const Tensor self = arguments_[0].toTensor();
  const Tensor source = arguments_[1].toTensor();
  TORCH_CHECK(
      own(self) && own(source), "set_: both tensors must be inputs of the functionalize() call");
  own(source)->sync_();
  own(self)->set__impl(*own(source));
  stack_.push_back(self);
}

} // namespace at::functionalization
