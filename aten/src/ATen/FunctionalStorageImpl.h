#pragma once

#include <ATen/ViewMeta.h>
#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstdint>
#include <memory>
#include <vector>

// The memory of functional tensors: a value, and the changes of its views that it does not have
// yet.
namespace at::functionalization {

// From the base of a storage to a view, which other views may share the first steps of.
using ViewSteps = std::vector<std::shared_ptr<const ViewMeta>>;

// Shared by a functional tensor and its views.
class TORCH_API FunctionalStorageImpl final : public c10::StorageImpl {
 public:
  explicit FunctionalStorageImpl(const Tensor& base);

  // Changes are recorded, and made to the base when a value is needed.
  void add_update(const Tensor& value, const ViewSteps& views);
  bool apply_updates();

  const Tensor& base() const { return base_; }
  const Geometry& geometry() const { return geometry_; }
  // Counts the changes that were made to the base or recorded.
  size_t generation() const { return generation_; }
  // Afterwards, changes are errors.
  void freeze() { frozen_ = true; }

  uint64_t mutation_counter() const { return mutations_; }
  uint64_t mutation_counter_during_no_grad() const { return mutations_without_grad_; }
  void mark_mutation();

 private:
  struct Update {
    Tensor value;
    ViewSteps views;
  };
  void apply(const Update& update);

  Tensor base_;
  Geometry geometry_;
  std::vector<Update> updates_;
  size_t generation_ = 0;
  uint64_t mutations_ = 0;
  uint64_t mutations_without_grad_ = 0;
  bool frozen_ = false;
};

} // namespace at::functionalization
