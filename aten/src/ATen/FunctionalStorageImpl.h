#pragma once

#include <ATen/FunctionalTable.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/DimVector.h>

#include <cstdint>
#include <vector>

// The memory of functional tensors: a value, and the changes of its views that it does not have
// yet.
namespace at::functionalization {

// Sizes, strides and offset, which a view of memory reads.
struct Geometry {
  explicit Geometry(const c10::TensorImpl& tensor)
      : sizes(tensor.sizes()), strides(tensor.strides()), offset(tensor.storage_offset()) {}
  // Whether a tensor's elements lie in memory as described, except for the offset.
  bool has_strides_of(const Tensor& tensor) const;

  c10::DimVector sizes;
  c10::DimVector strides;
  int64_t offset;
};

// One step from a tensor to a view of it. The step can be made again, and undone.
struct TORCH_API ViewMeta {
  const ViewOperators* operators;
  torch::jit::Stack arguments; // the view's arguments after self
  int64_t out_index = 0;       // which output, if the operator returns several
  bool is_multi_output = false;
  bool reapply_views = true; // else the values of views are copies
  Geometry input;            // the viewed tensor's

  // The value of the view, given that of the viewed tensor; of all views with `forward_all`.
  Tensor forward(const Tensor& base) const;
  torch::jit::Stack forward_all(const Tensor& base) const;
  // The value of the viewed tensor, after its view was changed.
  Tensor reverse(const Tensor& base, const Tensor& mutated_view) const;
  // Whether the step reads memory of the base that the viewed tensor need not contain.
  bool reads_memory() const;

 private:
  c10::OperatorHandle operator_for(const Tensor& base) const;
  Tensor prepared(const Tensor& base, torch::jit::Stack& stack) const;
};

// Shared by a functional tensor and its views.
class TORCH_API FunctionalStorageImpl final : public c10::StorageImpl {
 public:
  explicit FunctionalStorageImpl(const Tensor& base);

  // Changes are recorded, and made to the base when a value is needed.
  void add_update(const Tensor& value, const std::vector<ViewMeta>& views);
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
    std::vector<ViewMeta> views;
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
