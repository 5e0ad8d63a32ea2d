#pragma once

#include <ATen/core/ATen_fwd.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>

#include <optional>

namespace at {

// An optional tensor argument, borrowed for one call.
class OptionalTensorRef {
 public:
  OptionalTensorRef() = default;
  OptionalTensorRef(const TensorBase& tensor) : ref_(Tensor::unsafe_borrow_t{}, tensor) {}
  OptionalTensorRef(const std::optional<Tensor>& tensor) {
    if (tensor.has_value()) {
      reset(*tensor);
    }
  }
  OptionalTensorRef(const OptionalTensorRef& other) { reset(other.ref_); }
  OptionalTensorRef& operator=(OptionalTensorRef other) {
    std::swap(ref_, other.ref_);
    return *this;
  }
  ~OptionalTensorRef() { ref_.unsafeReleaseTensorImpl(); }

  bool has_value() const { return ref_.defined(); }
  explicit operator bool() const { return has_value(); }
  const Tensor& getTensorRef() const& { return ref_; }
  const Tensor& operator*() const& { return ref_; }
  const Tensor* operator->() const& { return &ref_; }

 private:
  void reset(const TensorBase& tensor) { ref_ = Tensor(Tensor::unsafe_borrow_t{}, tensor); }

  Tensor ref_;
};

// An optional number, borrowed for one call.
class OptionalScalarRef {
 public:
  OptionalScalarRef() = default;
  OptionalScalarRef(const Scalar& scalar) : scalar_(&scalar) {}
  OptionalScalarRef(std::nullopt_t) {}
  OptionalScalarRef(const std::optional<Scalar>& scalar)
      : scalar_(scalar.has_value() ? &*scalar : nullptr) {}

  bool has_value() const { return scalar_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const Scalar& get() const { return *scalar_; }
  const Scalar& operator*() const { return *scalar_; }
  const Scalar* operator->() const { return scalar_; }

 private:
  const Scalar* scalar_ = nullptr;
};

using IOptTensorListRef = c10::List<std::optional<Tensor>>;

inline OptionalTensorRef as_structured(const std::optional<Tensor>& tensor) {
  return tensor;
}
inline OptionalScalarRef as_structured(const std::optional<Scalar>& scalar) {
  return scalar;
}

namespace impl {

// The shape half of a structured kernel reports its outputs here. The generated subclasses allocate
// them, resize them (out=) or check them (in-place).
struct TORCH_API MetaBase {
  MetaBase() = default;
  MetaBase(const MetaBase&) = default;
  MetaBase& operator=(const MetaBase&) = default;
  MetaBase(MetaBase&&) noexcept = default;
  MetaBase& operator=(MetaBase&&) noexcept = default;
  virtual ~MetaBase() = default;

  virtual const Tensor& maybe_get_output(int64_t output_idx) = 0;

  // The actual strides may differ; the kernel handles any.
  virtual void set_output_raw_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList names = {}) = 0;
  // The kernel needs exactly these strides; when those of an out= tensor differ, the kernel writes
  // to a temporary.
  virtual void set_output_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList names = {}) {
    set_output_raw_strided(output_idx, sizes, strides, options, names);
  }
  void set_output_contiguous(
      int64_t output_idx, IntArrayRef sizes, TensorOptions options, DimnameList names = {}) {
    const auto strides = c10::contiguous_strides(sizes);
    set_output_strided(output_idx, sizes, strides, options, names);
  }
  void set_output(int64_t output_idx, IntArrayRef sizes, TensorOptions options) {
    set_output_contiguous(output_idx, sizes, options);
  }
  void set_output(IntArrayRef sizes, TensorOptions options) {
    set_output_contiguous(0, sizes, options);
  }
  const Tensor& maybe_get_output() { return maybe_get_output(0); }
};

} // namespace impl
} // namespace at

// Open the definitions of the two halves of a structured kernel.
#define TORCH_META_FUNC(name) void structured_##name::meta
#define TORCH_META_FUNC2(name, overload) void structured_##name##_##overload::meta
#define TORCH_IMPL_FUNC(name) void structured_##name::impl

// A meta function that passes computed values to the kernel declares and fills such a struct.
#define TORCH_PRECOMPUTE_META_FUNC(name) structured_##name::meta_return_ty structured_##name::meta
#define TORCH_PRECOMPUTE_META_FUNC2(name, overload) \
  structured_##name##_##overload::meta_return_ty structured_##name##_##overload::meta
#define TORCH_PRECOMPUTE_STRUCT(name) structured_##name::precompute_out<>
#define TORCH_PRECOMPUTE_STRUCT2(name, overload) structured_##name##_##overload::precompute_out<>
