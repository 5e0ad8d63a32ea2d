#pragma once

#include <ATen/FunctionalStorageImpl.h>
#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <memory>

namespace at {

// A tensor that programs may change and view, while the operators that run on its value do neither.
//
// A change replaces the value, and is recorded in the storage that the tensor shares with its
// views. A tensor whose storage has changed since makes its value again from the storage's base, by
// the same steps that made the view.
class TORCH_API FunctionalTensorWrapper final : public c10::TensorImpl {
 public:
  // A new tensor with storage of its own.
  FunctionalTensorWrapper(const Tensor& value, int64_t level);
  // A view of `base`, which takes the last step of `views` to its value.
  FunctionalTensorWrapper(
      const Tensor& value, const FunctionalTensorWrapper& base, functionalization::ViewSteps views,
      const functionalization::Geometry& geometry);

  const Tensor& value() const { return value_; }
  // The running functionalize() that the tensor belongs to; the outermost is 1.
  int64_t level() const { return level_; }
  const functionalization::ViewSteps& view_metas() const { return views_; }
  functionalization::FunctionalStorageImpl* functional_storage_impl() const;

  // Makes the value up to date.
  void sync_();
  // Replaces the value. The storage learns of it by commit_update().
  void replace_(const Tensor& value);
  void commit_update();
  // Turns this tensor into a view of itself, as transpose_ does.
  void mutate_view_meta(
      const std::shared_ptr<const functionalization::ViewMeta>& view,
      const functionalization::Geometry& geometry);
  // Makes this tensor an alias of another, as set_ does.
  void set__impl(const FunctionalTensorWrapper& other);
  // Replaces the storage, as resize_ to more elements does.
  void maybe_replace_storage(const Tensor& value);

  bool has_metadata_mutation() const { return has_metadata_mutation_; }
  bool was_storage_changed() const { return was_storage_changed_; }
  bool is_up_to_date() const;

  c10::intrusive_ptr<TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version_counter,
      bool allow_tensor_metadata_change) const override;
  void shallow_copy_from(const c10::intrusive_ptr<TensorImpl>& impl) override;
  const char* tensorimpl_type_name() const override { return "FunctionalTensorWrapper"; }

 private:
  void release_resources() override;
  void set_geometry(const functionalization::Geometry& geometry);
  // What is pending for the value is pending for this tensor.
  void set_value(Tensor value);
  void copy_functional_state(const FunctionalTensorWrapper& from);

  Tensor value_;
  int64_t level_;
  functionalization::ViewSteps views_;
  size_t generation_ = 0;
  bool has_metadata_mutation_ = false;
  bool was_storage_changed_ = false;
};

namespace functionalization::impl {

// The wrapper of a functional tensor, or nullptr.
inline FunctionalTensorWrapper* wrapper_of(const Tensor& tensor) {
  return tensor.key_set().has(DispatchKey::Functionalize)
      ? static_cast<FunctionalTensorWrapper*>(tensor.unsafeGetTensorImpl())
      : nullptr;
}
TORCH_API FunctionalTensorWrapper* unsafeGetFunctionalWrapper(const Tensor& tensor);

inline bool isFunctionalTensor(const Tensor& tensor) {
  return wrapper_of(tensor) != nullptr;
}
// Wraps a tensor for a level; by default for the innermost that runs.
TORCH_API Tensor to_functional_tensor(const Tensor& tensor, int64_t level = 0);
// The value below a functional tensor, which must be up to date; other tensors as they are.
TORCH_API Tensor from_functional_tensor(const Tensor& tensor, bool assert_functional = true);
TORCH_API void sync(const Tensor& tensor);
TORCH_API void freeze_functional_tensor(const Tensor& tensor);

// Levels: while one runs, new tensors of the thread are functional.
TORCH_API int64_t current_level();
TORCH_API int64_t enter_level(bool reapply_views);
TORCH_API void exit_level();
// Whether views of the values of a level are views, or else copies.
TORCH_API bool reapplies_views(int64_t level);
TORCH_API bool getFunctionalizationReapplyViewsTLS();
TORCH_API void setFunctionalizationReapplyViewsTLS(bool reapply_views);

// Calls start from the top of the dispatcher again, as if the levels from `level` inwards did not
// run.
class TORCH_API BelowLevel {
 public:
  explicit BelowLevel(int64_t level);
  ~BelowLevel();
  C10_DISABLE_COPY_AND_ASSIGN(BelowLevel);

 private:
  c10::impl::ForceDispatchKeyGuard keys_;
  int64_t saved_;
};

} // namespace functionalization::impl
} // namespace at
