#pragma once

#include <c10/core/AutogradMetaInterface.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>
#include <c10/core/VariableVersion.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/core/impl/PyObjectSlot.h>
#include <c10/core/impl/SizesAndStrides.h>
#include <c10/util/accumulate.h>
#include <c10/util/intrusive_ptr.h>
#include <c10/util/typeid.h>

#include <atomic>
#include <memory>

namespace c10 {

struct C10_API TensorImpl : public intrusive_ptr_target {
  enum ImplType { VIEW };

  TensorImpl(Storage&& storage, DispatchKeySet keys, caffe2::TypeMeta dtype);
  // Constructs a view. The keys, and with them the inference flag, are those of the base.
  TensorImpl(ImplType, Storage&& storage, DispatchKeySet keys, caffe2::TypeMeta dtype);
  TensorImpl(DispatchKeySet keys, caffe2::TypeMeta dtype, std::optional<Device> device);
  ~TensorImpl() override;
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  static void* operator new(size_t size);
  static void operator delete(void* block, size_t size) noexcept;

  // ---- geometry
  IntArrayRef sizes() const { return sizes_and_strides_.sizes_arrayref(); }
  IntArrayRef strides() const { return sizes_and_strides_.strides_arrayref(); }
  IntArrayRef sym_sizes() const { return sizes(); }
  IntArrayRef sym_strides() const { return strides(); }
  int64_t dim() const { return static_cast<int64_t>(sizes_and_strides_.size()); }
  int64_t numel() const { return numel_; }
  int64_t size(int64_t d) const {
    return sizes_and_strides_.size_at_unchecked(maybe_wrap_dim(d, dim(), false));
  }
  int64_t stride(int64_t d) const {
    return sizes_and_strides_.stride_at_unchecked(maybe_wrap_dim(d, dim(), false));
  }
  int64_t storage_offset() const { return storage_offset_; }
  bool is_empty() const { return numel_ == 0; }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    switch (format) {
      case MemoryFormat::ChannelsLast:
        return flag(kChannelsLastContiguous);
      case MemoryFormat::ChannelsLast3d:
        return flag(kChannelsLast3dContiguous);
      default:
        return flag(kContiguous);
    }
  }
  bool is_non_overlapping_and_dense() const { return flag(kNonOverlappingAndDense); }
  bool is_strides_like_channels_last() const { return flag(kChannelsLastStrides); }
  bool is_strides_like_channels_last_3d() const { return flag(kChannelsLast3dStrides); }
  bool is_strides_like(MemoryFormat format) const {
    return format == MemoryFormat::ChannelsLast  ? is_strides_like_channels_last()
        : format == MemoryFormat::ChannelsLast3d ? is_strides_like_channels_last_3d()
                                                 : false;
  }
  void set_sizes_contiguous(IntArrayRef sizes);
  void set_sizes_and_strides(
      IntArrayRef sizes, IntArrayRef strides, std::optional<int64_t> storage_offset = std::nullopt);
  void empty_tensor_restride(MemoryFormat format);
  void set_storage_offset(int64_t offset);
  void set_size(int64_t dim, int64_t size);
  void set_stride(int64_t dim, int64_t stride);
  void resize_dim(int64_t ndim);
  void refresh_numel();
  void refresh_contiguous();

  // ---- identity
  DispatchKeySet key_set() const { return key_set_; }
  void set_key_set(DispatchKeySet keys) { key_set_ = keys; }
  caffe2::TypeMeta dtype() const { return dtype_; }
  ScalarType scalar_type() const { return dtype_; }
  size_t itemsize() const { return elementSize(dtype_); }
  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  Device device_default() const { return device_; }
  int64_t get_device() const { return device_.index(); }
  Layout layout() const { return kStrided; }
  bool is_cpu() const { return device_.is_cpu(); }
  bool is_cuda() const { return device_.is_cuda(); }
  bool is_meta() const { return device_.is_meta(); }
  bool is_privateuseone() const { return device_.is_privateuseone(); }
  bool is_sparse() const { return false; }
  bool is_sparse_csr() const { return false; }
  bool is_quantized() const { return false; }
  bool is_mkldnn() const { return false; }
  bool is_nested() const { return false; }
  // The elements are the conjugates, or the negatives, of what the storage holds.
  bool is_conj() const { return key_set_.has(DispatchKey::Conjugate); }
  bool is_neg() const { return key_set_.has(DispatchKey::Negative); }
  void _set_conj(bool value) { set_key(DispatchKey::Conjugate, value); }
  void _set_neg(bool value) { set_key(DispatchKey::Negative, value); }
  bool is_zerotensor() const { return false; }
  bool is_inference() const { return flag(kInference); }
  bool is_wrapped_number() const { return flag(kWrappedNumber); }
  void set_wrapped_number(bool value) { set_flag(kWrappedNumber, value); }
  bool allow_tensor_metadata_change() const { return !flag(kFrozenMetadata); }
  void set_allow_tensor_metadata_change(bool value) { set_flag(kFrozenMetadata, !value); }
  bool is_python_dispatch() const { return key_set_.has(DispatchKey::Python); }

  // ---- memory
  bool has_storage() const { return static_cast<bool>(storage_); }
  const Storage& storage() const { return storage_; }
  const Storage& unsafe_storage() const { return storage_; }
  bool storage_initialized() const { return numel_ == 0 || (storage_ && storage_.data()); }
  bool dtype_initialized() const { return dtype_ != ScalarType::Undefined; }
  void set_storage_keep_dtype(Storage storage);
  void set_storage_and_dtype(Storage storage, caffe2::TypeMeta dtype);
  void set_dtype(caffe2::TypeMeta dtype) { dtype_ = dtype.toScalarType(); }
  const void* data() const { return data_at_offset(); }
  void* mutable_data() { return data_at_offset(); }
  template <typename T>
  const T* data_dtype_initialized() const {
    return static_cast<const T*>(data_at_offset());
  }
  template <typename T>
  T* mutable_data_dtype_initialized() {
    return static_cast<T*>(data_at_offset());
  }

  // ---- autograd
  bool requires_grad() const { return autograd_meta_ && autograd_meta_->requires_grad(); }
  void set_requires_grad(bool requires_grad);
  const at::Tensor& grad() const;
  at::Tensor& mutable_grad();
  void set_autograd_meta(std::unique_ptr<AutogradMetaInterface> meta) {
    autograd_meta_ = std::move(meta);
  }
  AutogradMetaInterface* autograd_meta() const { return autograd_meta_.get(); }

  // ---- the version: a count of in-place changes; inference tensors have none
  // Returns the version as an object that other tensors can share. From then on the count lives
  // outside this tensor.
  VariableVersion version_counter() const;
  void set_version_counter(const VariableVersion& counter);
  void bump_version() {
    uintptr_t word = version_.load(std::memory_order_relaxed);
    if (C10_UNLIKELY(
            !is_own_version(word) || is_inference() ||
            !version_.compare_exchange_strong(word, word + 2, std::memory_order_relaxed))) {
      bump_version_slow();
    }
  }
  uint32_t current_version() const;
  // Whether no other tensor shares the version.
  bool unique_version() const;

  // ---- copies that share the storage
  virtual intrusive_ptr<TensorImpl> shallow_copy_and_detach(
      const VariableVersion& version_counter, bool allow_tensor_metadata_change) const;
  virtual void shallow_copy_from(const intrusive_ptr<TensorImpl>& impl);
  bool has_compatible_shallow_copy_type(DispatchKeySet from) const;
  virtual const char* tensorimpl_type_name() const { return "TensorImpl"; }

  impl::PyObjectSlot* pyobj_slot() { return &pyobj_slot_; }
  const impl::PyObjectSlot* pyobj_slot() const { return &pyobj_slot_; }

 protected:
  void release_resources() override;
  static void copy_metadata(const TensorImpl* from, TensorImpl* to);
  [[noreturn]] void throw_frozen(const char* what) const;

 private:
  friend struct UndefinedTensorImpl;
  friend C10_API intrusive_ptr<TensorImpl> make_view_impl(
      const TensorImpl& base, IntArrayRef sizes, IntArrayRef strides, int64_t offset);
  friend C10_API intrusive_ptr<TensorImpl> make_cpu_tensor_impl(
      IntArrayRef sizes, ScalarType dtype);

  // For the fast constructors, which know all properties in advance.
  struct Exact {
    DispatchKeySet keys;
    ScalarType dtype;
    Device device;
    uint16_t flags;
  };
  TensorImpl(Storage&& storage, const Exact& exact)
      : storage_(std::move(storage)),
        key_set_(exact.keys),
        dtype_(exact.dtype),
        device_(exact.device),
        flags_(exact.flags) {}
  friend class intrusive_ptr<TensorImpl>;

  enum Flag : uint16_t {
    kContiguous = 1,
    kChannelsLastContiguous = 2,
    kChannelsLast3dContiguous = 4,
    kChannelsLastStrides = 8,
    kChannelsLast3dStrides = 16,
    kNonOverlappingAndDense = 32,
    kWrappedNumber = 64,
    kFrozenMetadata = 128,
    kInference = 256,
    kGeometry = 63,
  };
  static bool is_own_version(uintptr_t word) { return (word & 1) != 0; }
  static VersionCounter* shared_version(uintptr_t word) {
    return reinterpret_cast<VersionCounter*>(word);
  }
  void bump_version_slow();

  void set_key(DispatchKey key, bool on) {
    key_set_ = on ? key_set_.add(key) : key_set_.remove(key);
  }
  bool flag(Flag f) const { return (flags_ & f) != 0; }
  void set_flag(Flag f, bool on) { flags_ = static_cast<uint16_t>(on ? flags_ | f : flags_ & ~f); }
  void set_geometry(unsigned flags) {
    flags_ = static_cast<uint16_t>((flags_ & ~kGeometry) | flags);
  }
  void* data_at_offset() const {
    char* base = static_cast<char*>(storage_ ? storage_.mutable_data() : nullptr);
    return base && numel_ != 0 ? base + storage_offset_ * static_cast<int64_t>(itemsize())
                               : nullptr;
  }

  Storage storage_;
  std::unique_ptr<AutogradMetaInterface> autograd_meta_;
  // While unshared: the version times two, plus one. Once shared: the address of the
  // VersionCounter.
  mutable std::atomic<uintptr_t> version_{1};
  impl::PyObjectSlot pyobj_slot_;
  impl::SizesAndStrides sizes_and_strides_;
  int64_t storage_offset_ = 0;
  int64_t numel_ = 0;
  DispatchKeySet key_set_;
  ScalarType dtype_;
  Device device_;
  uint16_t flags_ = kContiguous | kNonOverlappingAndDense;
};

// The bytes that a dense tensor of these sizes needs; throws on negative sizes and on overflow.
C10_API size_t
computeStorageNbytesContiguous(IntArrayRef sizes, size_t itemsize, size_t offset = 0);
C10_API size_t
computeStorageNbytes(IntArrayRef sizes, IntArrayRef strides, size_t itemsize, size_t offset = 0);

// Fast path: creates a contiguous tensor in memory of the default allocator.
C10_API intrusive_ptr<TensorImpl> make_cpu_tensor_impl(IntArrayRef sizes, ScalarType dtype);
// Fast path: creates a view with the same storage, keys and dtype. The caller has checked the
// bounds.
C10_API intrusive_ptr<TensorImpl> make_view_impl(
    const TensorImpl& base, IntArrayRef sizes, IntArrayRef strides, int64_t storage_offset);

} // namespace c10

namespace at {
using c10::TensorImpl;
} // namespace at
