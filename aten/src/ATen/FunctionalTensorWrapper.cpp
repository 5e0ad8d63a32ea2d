#include <ATen/FunctionalTensorWrapper.h>

#include <utility>

namespace at {

using functionalization::FunctionalStorageImpl;
using functionalization::Geometry;
using functionalization::ViewMeta;
using functionalization::ViewSteps;

namespace {

// Calls reach functionalization first, whatever the value is. The key Python says that shortcuts
// which read memory must call operators instead.
c10::DispatchKeySet keys_for(const Tensor& value) {
  return (value.key_set() - c10::autograd_dispatch_keyset)
      .add(DispatchKey::Python)
      .add(DispatchKey::Functionalize);
}

c10::Storage storage_for(const Tensor& value) {
  return c10::Storage(
      c10::intrusive_ptr<c10::StorageImpl>(c10::make_intrusive<FunctionalStorageImpl>(value)));
}

} // namespace

FunctionalTensorWrapper::FunctionalTensorWrapper(const Tensor& value, int64_t level)
    : TensorImpl(storage_for(value), keys_for(value), value.dtype()), value_(value), level_(level) {
  set_wrapped_number(value.unsafeGetTensorImpl()->is_wrapped_number());
  set_geometry(Geometry(*value.unsafeGetTensorImpl()));
}

FunctionalTensorWrapper::FunctionalTensorWrapper(
    const Tensor& value, const FunctionalTensorWrapper& base, ViewSteps views,
    const Geometry& geometry)
    : TensorImpl(VIEW, c10::Storage(base.storage()), base.key_set(), value.dtype()),
      value_(value),
      level_(base.level_),
      views_(std::move(views)),
      generation_(base.functional_storage_impl()->generation()) {
  set_value(value);
  set_geometry(geometry);
}

FunctionalStorageImpl* FunctionalTensorWrapper::functional_storage_impl() const {
  return static_cast<FunctionalStorageImpl*>(storage().unsafeGetStorageImpl());
}

void FunctionalTensorWrapper::set_geometry(const Geometry& geometry) {
  set_sizes_and_strides(geometry.sizes, geometry.strides, geometry.offset);
}

void FunctionalTensorWrapper::set_value(Tensor value) {
  value_ = std::move(value);
  _set_conj(value_.is_conj());
  _set_neg(value_.is_neg());
}

bool FunctionalTensorWrapper::is_up_to_date() const {
  return generation_ == functional_storage_impl()->generation();
}

void FunctionalTensorWrapper::sync_() {
  if (is_up_to_date()) {
    return;
  }
  const functionalization::impl::BelowLevel guard(level_);
  FunctionalStorageImpl* const memory = functional_storage_impl();
  memory->apply_updates();
  Tensor value = memory->base();
  for (const auto& view : views_) {
    value = view->replay(value);
  }
  set_value(std::move(value));
  generation_ = memory->generation();
}

void FunctionalTensorWrapper::replace_(const Tensor& value) {
  set_value(value);
  if (sizes() != value.sizes()) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        views_.empty(), "functionalization cannot resize a view of another tensor");
    set_sizes_and_strides(value.sizes(), value.strides(), storage_offset());
    has_metadata_mutation_ = true;
  }
}

void FunctionalTensorWrapper::commit_update() {
  FunctionalStorageImpl* const memory = functional_storage_impl();
  memory->add_update(value_, views_);
  memory->mark_mutation();
  generation_ = memory->generation();
}

void FunctionalTensorWrapper::mutate_view_meta(
    const std::shared_ptr<const ViewMeta>& view, const Geometry& geometry) {
  sync_();
  {
    const functionalization::impl::BelowLevel guard(level_);
    if (view->reads_memory()) {
      functional_storage_impl()->apply_updates();
      set_value(view->replay(functional_storage_impl()->base()));
      views_.clear();
    } else {
      set_value(view->replay(value_));
    }
  }
  views_.push_back(view);
  generation_ = functional_storage_impl()->generation();
  set_geometry(geometry);
  has_metadata_mutation_ = true;
}

void FunctionalTensorWrapper::set__impl(const FunctionalTensorWrapper& other) {
  set_storage_keep_dtype(other.storage());
  copy_functional_state(other);
  set_geometry(Geometry(other));
  has_metadata_mutation_ = true;
  was_storage_changed_ = true;
}

void FunctionalTensorWrapper::maybe_replace_storage(const Tensor& value) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      views_.empty(), "functionalization cannot resize a view of another tensor");
  set_storage_keep_dtype(storage_for(value));
  set_value(value);
  generation_ = 0;
  set_geometry(Geometry(*value.unsafeGetTensorImpl()));
  functional_storage_impl()->mark_mutation();
  has_metadata_mutation_ = true;
  was_storage_changed_ = true;
}

void FunctionalTensorWrapper::copy_functional_state(const FunctionalTensorWrapper& from) {
  set_value(from.value_);
  level_ = from.level_;
  views_ = from.views_;
  generation_ = from.generation_;
}

c10::intrusive_ptr<TensorImpl> FunctionalTensorWrapper::shallow_copy_and_detach(
    const c10::VariableVersion& version_counter, bool allow_tensor_metadata_change) const {
  auto copy = c10::make_intrusive<FunctionalTensorWrapper>(value_, *this, views_, Geometry(*this));
  copy->copy_functional_state(*this);
  if (!is_inference() && version_counter.enabled()) {
    copy->set_version_counter(version_counter);
  }
  copy->set_allow_tensor_metadata_change(allow_tensor_metadata_change);
  return copy;
}

void FunctionalTensorWrapper::shallow_copy_from(const c10::intrusive_ptr<TensorImpl>& impl) {
  TORCH_CHECK(
      impl->key_set().has(DispatchKey::Functionalize),
      "the data of a functional tensor can only be set to another functional tensor");
  TensorImpl::shallow_copy_from(impl);
  copy_functional_state(static_cast<const FunctionalTensorWrapper&>(*impl));
  was_storage_changed_ = true;
}

void FunctionalTensorWrapper::release_resources() {
  TensorImpl::release_resources();
  value_ = Tensor();
  views_.clear();
}

namespace functionalization::impl {

namespace {

constexpr int64_t kMaxLevel = 63;

// The levels that run in the thread, and a bit for each that keeps views.
struct Levels {
  int64_t depth = 0;
  uint64_t reapply_views = 0;
};
constinit thread_local Levels levels;

uint64_t bit(int64_t level) {
  return uint64_t{1} << level;
}

} // namespace

int64_t current_level() {
  return levels.depth;
}

int64_t enter_level(bool reapply_views) {
  TORCH_CHECK(levels.depth < kMaxLevel, "too many nested calls of functionalize");
  ++levels.depth;
  setFunctionalizationReapplyViewsTLS(reapply_views);
  c10::impl::tls_set_dispatch_key_included(DispatchKey::Functionalize, true);
  return levels.depth;
}

void exit_level() {
  TORCH_CHECK(levels.depth > 0, "functionalization is not enabled");
  --levels.depth;
  c10::impl::tls_set_dispatch_key_included(DispatchKey::Functionalize, levels.depth > 0);
}

bool reapplies_views(int64_t level) {
  return (levels.reapply_views & bit(level)) != 0;
}

bool getFunctionalizationReapplyViewsTLS() {
  return reapplies_views(levels.depth);
}

void setFunctionalizationReapplyViewsTLS(bool reapply_views) {
  const uint64_t own = bit(levels.depth);
  levels.reapply_views = reapply_views ? levels.reapply_views | own : levels.reapply_views & ~own;
}

BelowLevel::BelowLevel(int64_t level) : saved_(levels.depth) {
  const auto local = c10::impl::tls_local_dispatch_key_set();
  const int64_t depth = level - 1;
  const auto included = depth > 0 ? local.included_.add(DispatchKey::Functionalize)
                                  : local.included_.remove(DispatchKey::Functionalize);
  c10::impl::_force_tls_local_dispatch_key_set(
      {included, local.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView});
  levels.depth = depth;
}

BelowLevel::~BelowLevel() {
  levels.depth = saved_;
}

FunctionalTensorWrapper* unsafeGetFunctionalWrapper(const Tensor& tensor) {
  FunctionalTensorWrapper* const wrapper = wrapper_of(tensor);
  TORCH_CHECK(wrapper != nullptr, "expected a functional tensor");
  return wrapper;
}

Tensor to_functional_tensor(const Tensor& tensor, int64_t level) {
  if (!tensor.defined()) {
    return tensor;
  }
  if (level == 0) {
    level = std::max<int64_t>(levels.depth, 1);
  }
  return Tensor(c10::intrusive_ptr<c10::TensorImpl>(
      c10::make_intrusive<FunctionalTensorWrapper>(tensor, level)));
}

Tensor from_functional_tensor(const Tensor& tensor, bool assert_functional) {
  if (!tensor.defined()) {
    return tensor;
  }
  if (const FunctionalTensorWrapper* const wrapper = wrapper_of(tensor)) {
    return wrapper->value();
  }
  TORCH_CHECK(!assert_functional, "expected a functional tensor");
  return tensor;
}

void sync(const Tensor& tensor) {
  if (!tensor.defined()) {
    return;
  }
  if (FunctionalTensorWrapper* const wrapper = wrapper_of(tensor)) {
    wrapper->sync_();
  }
}

void freeze_functional_tensor(const Tensor& tensor) {
  unsafeGetFunctionalWrapper(tensor)->functional_storage_impl()->freeze();
}

} // namespace functionalization::impl
} // namespace at
