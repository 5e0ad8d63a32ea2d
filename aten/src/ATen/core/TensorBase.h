#pragma once

#include <ATen/core/TensorAccessor.h>
#include <c10/core/Backend.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/TensorOptions.h>
#include <c10/core/UndefinedTensorImpl.h>
#include <c10/util/MaybeOwned.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace c10 {
template <typename T>
struct TensorBorrow;
} // namespace c10

namespace torch::autograd {
struct Node;
}

namespace at {

using c10::ArrayRef;
using c10::Backend;
using c10::DimVector;
using c10::DispatchKey;
using c10::IntArrayRef;
using c10::MaybeOwned;
using c10::MaybeOwnedTraits;
using c10::OptionalArrayRef;
using c10::OptionalIntArrayRef;
class Tensor;
class TensorBase;

// Receives the gradient of a tensor and may return a tensor to replace it.
struct TORCH_API TensorHook {
  virtual ~TensorHook();
  virtual TensorBase operator()(const TensorBase& grad) = 0;
};

using TensorImplPtr = c10::intrusive_ptr<TensorImpl, UndefinedTensorImpl>;

// A counted handle to a TensorImpl with everything that needs no operator. Kernels include only
// this header; at::Tensor adds the operators as methods.
class TORCH_API TensorBase {
 public:
  struct unsafe_borrow_t {
    explicit unsafe_borrow_t() = default;
  };

  TensorBase() = default;
  explicit TensorBase(TensorImplPtr impl) : impl_(std::move(impl)) {
    TORCH_CHECK(impl_.get() != nullptr, "TensorImpl with nullptr is not supported");
  }
  TensorBase(const TensorBase&) = default;
  TensorBase(TensorBase&&) noexcept = default;
  TensorBase& operator=(const TensorBase&) & = default;
  TensorBase& operator=(TensorBase&&) & noexcept = default;
  TensorBase& operator=(const TensorBase&) && = delete;
  ~TensorBase() noexcept = default;
  static TensorBase wrap_tensor_impl(TensorImplPtr impl) { return TensorBase(std::move(impl)); }

  // ---- the handle
  bool defined() const { return impl_.defined(); }
  void reset() { impl_.reset(); }
  bool is_same(const TensorBase& other) const noexcept { return impl_ == other.impl_; }
  size_t use_count() const noexcept { return impl_.use_count(); }
  size_t weak_use_count() const noexcept { return impl_.weak_use_count(); }
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  TensorImpl* unsafeReleaseTensorImpl() { return impl_.release(); }
  TensorImplPtr unsafeReleaseIntrusivePtr() { return std::move(impl_); }
  const TensorImplPtr& getIntrusivePtr() const { return impl_; }

  // ---- geometry
  int64_t dim() const { return impl_->dim(); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return impl_->numel(); }
  int64_t sym_numel() const { return numel(); }
  IntArrayRef sizes() const { return impl_->sizes(); }
  IntArrayRef strides() const { return impl_->strides(); }
  IntArrayRef sym_sizes() const { return sizes(); }
  IntArrayRef sym_strides() const { return strides(); }
  int64_t size(int64_t dim) const { return impl_->size(dim); }
  int64_t stride(int64_t dim) const { return impl_->stride(dim); }
  int64_t sym_size(int64_t dim) const { return size(dim); }
  int64_t sym_stride(int64_t dim) const { return stride(dim); }
  int64_t storage_offset() const { return impl_->storage_offset(); }
  int64_t sym_storage_offset() const { return storage_offset(); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return impl_->is_contiguous(format);
  }
  bool is_contiguous_or_false(MemoryFormat format = MemoryFormat::Contiguous) const {
    return is_contiguous(format);
  }
  bool is_non_overlapping_and_dense() const { return impl_->is_non_overlapping_and_dense(); }
  MemoryFormat suggest_memory_format(bool channels_last_strides_exact_match = false) const;
  size_t itemsize() const { return impl_->itemsize(); }
  int64_t element_size() const { return static_cast<int64_t>(itemsize()); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * itemsize(); }
  size_t sym_nbytes() const { return nbytes(); }
  TensorBase contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return is_contiguous(format) ? *this : __dispatch_contiguous(format);
  }
  MaybeOwned<TensorBase> expect_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const&;
  MaybeOwned<TensorBase> expect_contiguous(MemoryFormat = MemoryFormat::Contiguous) && = delete;

  // ---- identity
  DispatchKeySet key_set() const { return impl_->key_set(); }
  ScalarType scalar_type() const { return impl_->scalar_type(); }
  caffe2::TypeMeta dtype() const { return impl_->dtype(); }
  Device device() const { return impl_->device(); }
  int64_t get_device() const { return impl_->get_device(); }
  Layout layout() const { return impl_->layout(); }
  TensorOptions options() const {
    return TensorOptions().dtype(scalar_type()).device(device()).layout(layout());
  }
  bool is_cpu() const { return impl_->is_cpu(); }
  bool is_cuda() const { return impl_->is_cuda(); }
  bool is_meta() const { return impl_->is_meta(); }
  bool is_privateuseone() const { return impl_->is_privateuseone(); }
  bool is_sparse() const { return false; }
  bool is_sparse_csr() const { return false; }
  bool is_mkldnn() const { return false; }
  bool is_quantized() const { return false; }
  bool is_nested() const { return false; }
  bool is_xpu() const { return false; }
  bool is_mps() const { return false; }
  bool is_conj() const { return impl_->is_conj(); }
  bool is_neg() const { return impl_->is_neg(); }
  void _set_conj(bool value) const { impl_->_set_conj(value); }
  void _set_neg(bool value) const { impl_->_set_neg(value); }
  bool _is_zerotensor() const { return false; }
  bool is_complex() const { return c10::isComplexType(scalar_type()); }
  bool is_floating_point() const { return c10::isFloatingType(scalar_type()); }
  bool is_signed() const { return c10::isSignedType(scalar_type()); }
  bool is_inference() const { return impl_->is_inference(); }
  bool has_names() const { return false; }

  // ---- memory
  bool has_storage() const { return defined() && impl_->has_storage(); }
  const Storage& storage() const { return impl_->storage(); }
  bool is_alias_of(const TensorBase& other) const { return storage().is_alias_of(other.storage()); }
  const void* const_data_ptr() const { return impl_->data(); }
  void* mutable_data_ptr() const { return impl_->mutable_data(); }
  void* data_ptr() const { return impl_->mutable_data(); }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(checked_data(c10::CppTypeToScalarType<std::remove_const_t<T>>::value));
  }
  template <typename T>
  const std::remove_const_t<T>* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() const& {
    TORCH_CHECK(
        dim() == static_cast<int64_t>(N), "TensorAccessor expected ", N, " dims but tensor has ",
        dim());
    return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
  }
  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;

  // ---- autograd; functions that are not inline are defined in
  // torch/csrc/autograd/variable_methods.cpp
  bool requires_grad() const { return impl_->requires_grad(); }
  const TensorBase& set_requires_grad(bool requires_grad) const {
    impl_->set_requires_grad(requires_grad);
    return *this;
  }
  // Unlike set_requires_grad, throws for a tensor that is not a leaf.
  const TensorBase& requires_grad_(bool requires_grad = true) const;
  bool is_leaf() const;
  int64_t output_nr() const;
  const c10::intrusive_ptr<torch::autograd::Node>& grad_fn() const;
  void retain_grad() const;
  bool retains_grad() const;
  bool is_view() const;
  const TensorBase& _base() const;
  const std::string& name() const;
  int64_t _version() const { return impl_->current_version(); }
  // The same elements outside the graph: data() and variable_data() start a new version count,
  // tensor_data() shares the existing one.
  TensorBase data() const;
  TensorBase variable_data() const;
  TensorBase tensor_data() const;
  void set_data(const TensorBase& new_data) const;
  // Returns the position to pass to remove_hook.
  unsigned _register_hook(std::unique_ptr<TensorHook> hook) const;
  void remove_hook(unsigned position) const;

  std::string toString() const;
  void print() const;

 protected:
  explicit TensorBase(unsafe_borrow_t, const TensorBase& other)
      : impl_(TensorImplPtr(other.impl_.get(), c10::detail::DontIncreaseRefcount{})) {}

  void* checked_data(ScalarType expected) const {
    if (C10_UNLIKELY(scalar_type() != expected)) {
      throw_wrong_dtype(expected);
    }
    return impl_->mutable_data();
  }

  TensorImplPtr impl_;

 private:
  template <typename T>
  friend struct c10::TensorBorrow;
  TensorBase __dispatch_contiguous(MemoryFormat format) const;
  [[noreturn]] void throw_wrong_dtype(ScalarType expected) const;
};

inline int64_t get_device(const TensorBase& self) {
  return self.get_device();
}

inline DispatchKey legacyExtractDispatchKey(const TensorBase& tensor) {
  return tensor.key_set().highestPriorityTypeId();
}

} // namespace at

namespace c10 {

// Borrowing a tensor aliases its TensorImpl without changing the count.
template <typename T>
struct TensorBorrow {
  using owned_type = T;
  using borrow_type = T;
  static borrow_type createBorrow(const T& from) {
    return borrow_type(typename borrow_type::unsafe_borrow_t{}, from);
  }
  static void assignBorrow(borrow_type& left, const borrow_type& right) {
    left.unsafeReleaseTensorImpl();
    left = createBorrow(right);
  }
  static void destroyBorrow(borrow_type& borrow) { borrow.unsafeReleaseTensorImpl(); }
  static const T& referenceFromBorrow(const borrow_type& borrow) { return borrow; }
  static const T* pointerFromBorrow(const borrow_type& borrow) { return &borrow; }
};

template <>
struct MaybeOwnedTraits<at::TensorBase> : TensorBorrow<at::TensorBase> {};

} // namespace c10

namespace at {
inline MaybeOwned<TensorBase> TensorBase::expect_contiguous(MemoryFormat format) const& {
  return is_contiguous(format) ? MaybeOwned<TensorBase>::borrowed(*this)
                               : MaybeOwned<TensorBase>::owned(__dispatch_contiguous(format));
}
} // namespace at
