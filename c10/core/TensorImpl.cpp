#include <c10/core/TensorImpl.h>
#include <c10/core/UndefinedTensorImpl.h>
#include <c10/core/impl/BlockCache.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PythonDispatch.h>
#include <c10/util/safe_numerics.h>

#include <algorithm>

namespace c10 {

static_assert(sizeof(TensorImpl) <= impl::block_bytes(impl::BlockKind::Tensor));

void* TensorImpl::operator new(size_t size) {
  return size == sizeof(TensorImpl) ? impl::allocate_block(impl::BlockKind::Tensor)
                                    : ::operator new(size);
}

void TensorImpl::operator delete(void* block, size_t size) noexcept {
  if (C10_LIKELY(size == sizeof(TensorImpl))) {
    impl::free_block(impl::BlockKind::Tensor, block);
  } else {
    ::operator delete(block);
  }
}

namespace {

// The keys of a new tensor: it is not part of a graph, so the backend's autograd key is left out;
// ADInplaceOrView is left out only in inference mode.
DispatchKeySet keys_of_new(DispatchKeySet keys, bool inference) {
  keys = keys - autograd_dispatch_keyset_with_ADInplaceOrView;
  return inference || !keys.has_any(backend_dispatch_keyset) ? keys : keys | inplace_or_view_ks;
}

constexpr DispatchKeySet kCPUKeys = DispatchKeySet(DispatchKey::CPU) | inplace_or_view_ks;

} // namespace

TensorImpl::TensorImpl(Storage&& storage, DispatchKeySet keys, caffe2::TypeMeta dtype)
    : storage_(std::move(storage)),
      key_set_(keys_of_new(keys, InferenceMode::is_enabled())),
      dtype_(dtype.toScalarType()),
      device_(storage_.device()) {
  if (C10_UNLIKELY(InferenceMode::is_enabled())) {
    flags_ |= kInference;
  }
}

TensorImpl::TensorImpl(ImplType, Storage&& storage, DispatchKeySet keys, caffe2::TypeMeta dtype)
    : storage_(std::move(storage)),
      key_set_(keys - autograd_dispatch_keyset),
      dtype_(dtype.toScalarType()),
      device_(storage_.device()) {
  if (C10_UNLIKELY(!keys.has(DispatchKey::ADInplaceOrView))) {
    flags_ |= kInference;
  }
}

TensorImpl::TensorImpl(DispatchKeySet keys, caffe2::TypeMeta dtype, std::optional<Device> device)
    : key_set_(keys_of_new(keys, InferenceMode::is_enabled())),
      dtype_(dtype.toScalarType()),
      device_(device.value_or(Device(DeviceType::CPU))) {
  if (InferenceMode::is_enabled()) {
    flags_ |= kInference;
  }
}

TensorImpl::~TensorImpl() {
  const uintptr_t version = version_.load(std::memory_order_relaxed);
  if (!is_own_version(version)) {
    raw::decref(shared_version(version));
  }
}

void TensorImpl::release_resources() {
  // Runs first, while the tensor is complete: Python code that got a reference in the meantime
  // takes a copy.
  pyobj_slot_.release();
  autograd_meta_.reset();
  storage_ = {};
}

// ---- versions

VariableVersion TensorImpl::version_counter() const {
  if (is_inference()) {
    return VariableVersion::DISABLED;
  }
  uintptr_t word = version_.load(std::memory_order_acquire);
  if (is_own_version(word)) {
    // Another thread may share or bump the version at the same time.
    auto counter = make_intrusive<VersionCounter>(0u);
    do {
      counter->version_.store(static_cast<uint32_t>(word >> 1), std::memory_order_relaxed);
    } while (!version_.compare_exchange_weak(
                 word, reinterpret_cast<uintptr_t>(counter.get()), std::memory_order_acq_rel) &&
             is_own_version(word));
    if (is_own_version(word)) {
      word = reinterpret_cast<uintptr_t>(counter.release());
    }
  }
  return VariableVersion(intrusive_ptr<VersionCounter>::reclaim_copy(shared_version(word)));
}

void TensorImpl::set_version_counter(const VariableVersion& version) {
  TORCH_CHECK(
      !(is_inference() && version.enabled()), "Cannot set version_counter for inference tensor");
  VersionCounter* counter = intrusive_ptr<VersionCounter>(version.counter()).release();
  const uintptr_t word = counter ? reinterpret_cast<uintptr_t>(counter) : 1;
  const uintptr_t old = version_.exchange(word, std::memory_order_acq_rel);
  if (!is_own_version(old)) {
    raw::decref(shared_version(old));
  }
}

void TensorImpl::bump_version_slow() {
  if (C10_UNLIKELY(is_inference())) {
    TORCH_CHECK(
        InferenceMode::is_enabled(),
        "Inplace update to inference tensor outside InferenceMode is not allowed."
        "You can make a clone to get a normal tensor before doing inplace update."
        "See https://github.com/pytorch/rfcs/pull/17 for more details.");
    return;
  }
  uintptr_t word = version_.load(std::memory_order_acquire);
  while (is_own_version(word)) {
    if (version_.compare_exchange_weak(word, word + 2, std::memory_order_acq_rel)) {
      return;
    }
  }
  shared_version(word)->version_.fetch_add(1, std::memory_order_relaxed);
}

bool TensorImpl::unique_version() const {
  const uintptr_t word = version_.load(std::memory_order_acquire);
  return is_own_version(word) || intrusive_counts::use_count(shared_version(word)) == 1;
}

uint32_t TensorImpl::current_version() const {
  TORCH_CHECK(!is_inference(), "Inference tensors do not track version counter.");
  const uintptr_t word = version_.load(std::memory_order_acquire);
  return is_own_version(word) ? static_cast<uint32_t>(word >> 1)
                              : shared_version(word)->version_.load(std::memory_order_relaxed);
}

// ---- autograd

void TensorImpl::set_requires_grad(bool requires_grad) {
  if (!requires_grad && !autograd_meta_) {
    return;
  }
  TORCH_CHECK(
      !(requires_grad && is_inference() && !InferenceMode::is_enabled()),
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (!autograd_meta_) {
    const impl::AutogradMetaFactory* factory = impl::GetAutogradMetaFactory();
    TORCH_CHECK_NOT_IMPLEMENTED(
        factory, "requires_grad=True needs the autograd library, which is not loaded");
    autograd_meta_ = factory->make();
  }
  autograd_meta_->set_requires_grad(requires_grad, this);
}

const at::Tensor& TensorImpl::grad() const {
  const impl::AutogradMetaFactory* factory = impl::GetAutogradMetaFactory();
  TORCH_CHECK_NOT_IMPLEMENTED(factory, "grad needs the autograd library, which is not loaded");
  return autograd_meta_ ? autograd_meta_->grad() : factory->undefined_tensor();
}

at::Tensor& TensorImpl::mutable_grad() {
  if (!autograd_meta_) {
    const impl::AutogradMetaFactory* factory = impl::GetAutogradMetaFactory();
    TORCH_CHECK_NOT_IMPLEMENTED(factory, "grad needs the autograd library, which is not loaded");
    autograd_meta_ = factory->make();
  }
  return autograd_meta_->mutable_grad();
}

// ---- storage

void TensorImpl::throw_frozen(const char* what) const {
  TORCH_CHECK(
      false, what,
      " is not allowed on a Tensor created from .data or .detach().\n"
      "If your intent is to change the metadata of a Tensor (such as sizes / strides / storage / "
      "storage_offset)\nwithout autograd tracking the change, remove the .data / .detach() call "
      "and "
      "wrap the change in a `with torch.no_grad():` block.");
}

void TensorImpl::set_storage_keep_dtype(Storage storage) {
  if (C10_UNLIKELY(!allow_tensor_metadata_change())) {
    throw_frozen("set_storage");
  }
  storage_ = std::move(storage);
  device_ = storage_.device();
}

void TensorImpl::set_storage_and_dtype(Storage storage, caffe2::TypeMeta dtype) {
  set_storage_keep_dtype(std::move(storage));
  dtype_ = dtype.toScalarType();
}

void TensorImpl::set_storage_offset(int64_t offset) {
  if (C10_UNLIKELY(!allow_tensor_metadata_change())) {
    throw_frozen("set_storage_offset");
  }
  storage_offset_ = offset;
}

// ---- shallow copies

void TensorImpl::copy_metadata(const TensorImpl* from, TensorImpl* to) {
  to->storage_ = from->storage_;
  to->sizes_and_strides_ = from->sizes_and_strides_;
  to->storage_offset_ = from->storage_offset_;
  to->numel_ = from->numel_;
  // Keeps the target's autograd keys: membership in a graph is not copied.
  to->key_set_ =
      (from->key_set_ - autograd_dispatch_keyset) | (to->key_set_ & autograd_dispatch_keyset);
  to->dtype_ = from->dtype_;
  to->device_ = from->device_;
  to->flags_ = from->flags_;
}

intrusive_ptr<TensorImpl> TensorImpl::shallow_copy_and_detach(
    const VariableVersion& version_counter, bool allow_tensor_metadata_change) const {
  intrusive_ptr<TensorImpl> copy;
  if (C10_UNLIKELY(is_python_dispatch()) &&
      !impl::tls_is_dispatch_key_excluded(DispatchKey::Python)) {
    copy = impl::python_detach(this);
  } else {
    copy = make_intrusive<TensorImpl>(key_set_, dtype(), device_);
    copy_metadata(this, copy.get());
  }
  if (!is_inference() && version_counter.enabled()) {
    copy->set_version_counter(version_counter);
  }
  copy->set_allow_tensor_metadata_change(allow_tensor_metadata_change);
  return copy;
}

void TensorImpl::shallow_copy_from(const intrusive_ptr<TensorImpl>& impl) {
  const bool allowed = allow_tensor_metadata_change();
  copy_metadata(impl.get(), this);
  set_allow_tensor_metadata_change(allowed);
}

bool TensorImpl::has_compatible_shallow_copy_type(DispatchKeySet from) const {
  // Dense tensors move between devices with memory and stay the same objects.
  constexpr DispatchKeySet dense({DispatchKey::CPU, DispatchKey::CUDA});
  const DispatchKeySet here = key_set_ & backend_dispatch_keyset;
  const DispatchKeySet there = from & backend_dispatch_keyset;
  return here == there || (dense.has_any(here) && dense.has_any(there));
}

// ---- fast constructors

intrusive_ptr<TensorImpl> make_cpu_tensor_impl(IntArrayRef sizes, ScalarType dtype) {
  const size_t bytes = computeStorageNbytesContiguous(sizes, elementSize(dtype));
  const bool inference = InferenceMode::is_enabled();
  constexpr uint16_t kDense = TensorImpl::kContiguous | TensorImpl::kNonOverlappingAndDense;
  const TensorImpl::Exact exact{
      inference ? DispatchKeySet(DispatchKey::CPU) : kCPUKeys, dtype, Device(DeviceType::CPU),
      static_cast<uint16_t>(inference ? kDense | TensorImpl::kInference : kDense)};
  auto impl = intrusive_ptr<TensorImpl>::make(Storage(StorageImpl::make_cpu(bytes)), exact);
  impl->set_sizes_contiguous(sizes);
  return impl;
}

intrusive_ptr<TensorImpl> make_view_impl(
    const TensorImpl& base, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset) {
  const TensorImpl::Exact exact{
      base.key_set_ - autograd_dispatch_keyset, base.dtype_, base.device_,
      static_cast<uint16_t>(base.flags_ & TensorImpl::kInference)};
  auto view = intrusive_ptr<TensorImpl>::make(Storage(base.storage_), exact);
  view->storage_offset_ = storage_offset;
  view->set_sizes_and_strides(sizes, strides);
  return view;
}

// ---- the undefined tensor

UndefinedTensorImpl::UndefinedTensorImpl()
    : TensorImpl(DispatchKeySet(), caffe2::TypeMeta(), std::nullopt) {
  intrusive_counts::start(this);
}

UndefinedTensorImpl UndefinedTensorImpl::instance_;

} // namespace c10
