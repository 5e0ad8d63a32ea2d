#pragma once

#include <ATen/core/ATen_fwd.h>
#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/Scalar.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/MaybeOwned.h>
#include <c10/util/OptionalArrayRef.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace at {

namespace indexing {
struct TensorIndex;
}

// A reference to a tensor with the operators of native_functions.yaml as methods. Everything that
// needs no operator is in TensorBase. Both are a single pointer; copies share the tensor.
class TORCH_API Tensor : public TensorBase {
 protected:
  explicit Tensor(unsafe_borrow_t borrow, const TensorBase& base) : TensorBase(borrow, base) {}
  friend MaybeOwnedTraits<Tensor>;
  friend class OptionalTensorRef;
  friend class TensorRef;

 public:
  Tensor() = default;
  explicit Tensor(c10::intrusive_ptr<TensorImpl, UndefinedTensorImpl> impl)
      : TensorBase(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  explicit Tensor(const TensorBase& base) : TensorBase(base) {}
  Tensor(TensorBase&& base) noexcept : TensorBase(std::move(base)) {}

  static Tensor wrap_tensor_impl(c10::intrusive_ptr<TensorImpl, UndefinedTensorImpl> impl) {
    return Tensor(TensorBase::wrap_tensor_impl(std::move(impl)));
  }

  Tensor& operator=(const TensorBase& other) & {
    TensorBase::operator=(other);
    return *this;
  }
  Tensor& operator=(TensorBase&& other) & noexcept {
    TensorBase::operator=(std::move(other));
    return *this;
  }
  Tensor& operator=(const Tensor& other) & = default;
  Tensor& operator=(Tensor&& other) & noexcept = default;
  // A temporary is a view, so assigning to it writes the elements.
  Tensor& operator=(const Scalar& value) &&;
  Tensor& operator=(const Tensor& other) &&;
  Tensor& operator=(Tensor&& other) &&;

  bool is_same(const Tensor& other) const noexcept { return TensorBase::is_same(other); }
  Tensor contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const {
    return is_contiguous(memory_format) ? *this : contiguous_copy(memory_format);
  }

  Tensor cpu() const;
  Tensor toType(ScalarType type) const;
  Tensor toBackend(Backend backend) const;
  template <typename T>
  T item() const;

  Tensor operator~() const;
  Tensor operator-() const;
  Tensor& operator+=(const Tensor& other);
  Tensor& operator+=(const Scalar& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator-=(const Scalar& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator*=(const Scalar& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator/=(const Scalar& other);
  Tensor& operator&=(const Tensor& other);
  Tensor& operator|=(const Tensor& other);
  Tensor& operator^=(const Tensor& other);
  Tensor operator[](const Scalar& index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor operator[](int64_t index) const;

  // x.index({0, "...", Slice(1, 3)}) is Python's x[0, ..., 1:3]. Needs ATen/TensorIndexing.h.
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values);
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value);
  Tensor& index_put_( // x.index_put_({0, 1}, values) is Python's x[0, 1] = values
      std::initializer_list<indexing::TensorIndex> indices, const Tensor& values);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value);

  // ---- autograd; functions that are not inline are defined in
  // torch/csrc/autograd/variable_methods.cpp
  const Tensor& requires_grad_(bool requires_grad = true) const;
  const Tensor& set_requires_grad(bool requires_grad) const;
  const Tensor& grad() const { return impl_->grad(); }
  Tensor& mutable_grad() const { return impl_->mutable_grad(); }
  const Tensor& _base() const { return static_cast<const Tensor&>(TensorBase::_base()); }
  Tensor data() const { return TensorBase::data(); }
  Tensor variable_data() const { return TensorBase::variable_data(); }
  Tensor tensor_data() const { return TensorBase::tensor_data(); }
  // Accumulates the gradients of the leaves, or of `inputs` if given. `gradient` defaults to one
  // for a tensor of one element, `retain_graph` to `create_graph`.
  void backward(
      const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
      bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
  // `hook` takes the gradient and returns nothing or a replacement.
  template <typename Hook>
  unsigned register_hook(Hook&& hook) const;

  // ---- the operators that native_functions.yaml declares as methods
  //
  // Users of tensors see all of them. The library's own files do not: each new declaration would
  // recompile everything that sees a tensor. They are compiled with TORCH_TENSOR_METHODS defined as
  // nothing (`definitions` in build_config.toml) and call operators as functions of their own
  // headers: at::sum(x, 0) of <ATen/ops/sum.h>, at::methods::view(x, {2}) of <ATen/ops/view.h>. A
  // file that needs all methods undefines the macro before its first include; one that needs a
  // few defines it as their declarations, as the generated Functions_*.cpp do.
  //
  // Such files can share tensors because non-virtual member functions are not part of an object's
  // layout or of its vtable. Two things would break that: a data member, base class or virtual
  // function that depends on the macro, and an inline function in a header whose meaning depends on
  // it. So no header of the library calls a generated method, and no generated method may have the
  // name and parameters of a member of TensorBase.
#ifdef TORCH_TENSOR_METHODS
  TORCH_TENSOR_METHODS
#else
#include <ATen/core/TensorMethods.inc>
#endif

 private:
  Tensor contiguous_copy(MemoryFormat memory_format) const;
};

template <typename Hook>
unsigned Tensor::register_hook(Hook&& hook) const {
  struct Wrapped final : TensorHook {
    explicit Wrapped(Hook&& hook) : hook_(std::forward<Hook>(hook)) {}
    TensorBase operator()(const TensorBase& grad) override {
      if constexpr (std::is_void_v<std::invoke_result_t<Hook&, Tensor>>) {
        hook_(Tensor(grad));
        return {};
      } else {
        return hook_(Tensor(grad));
      }
    }
    std::decay_t<Hook> hook_;
  };
  return _register_hook(std::make_unique<Wrapped>(std::forward<Hook>(hook)));
}

namespace detail {
// The type of the tensor's own dispatch key set, for code that already has an implementation.
template <typename T, typename... Args>
Tensor make_tensor(Args&&... args) {
  return Tensor(c10::make_intrusive<T>(std::forward<Args>(args)...));
}
template <typename T, typename... Args>
TensorBase make_tensor_base(Args&&... args) {
  return TensorBase(c10::make_intrusive<T>(std::forward<Args>(args)...));
}
} // namespace detail

} // namespace at

namespace c10 {

// Borrowing a tensor does not change its reference count.
template <>
struct MaybeOwnedTraits<at::Tensor> {
  using owned_type = at::Tensor;
  using borrow_type = at::Tensor;

  static borrow_type createBorrow(const owned_type& from) {
    return borrow_type(borrow_type::unsafe_borrow_t{}, from);
  }
  static void assignBorrow(borrow_type& to, const borrow_type& from) {
    to.unsafeReleaseTensorImpl();
    to = borrow_type(borrow_type::unsafe_borrow_t{}, from);
  }
  static void destroyBorrow(borrow_type& borrowed) { borrowed.unsafeReleaseTensorImpl(); }
  static const owned_type& referenceFromBorrow(const borrow_type& borrow) { return borrow; }
  static const owned_type* pointerFromBorrow(const borrow_type& borrow) { return &borrow; }
  static bool debugBorrowIsValid(const borrow_type&) { return true; }
};

} // namespace c10
