#pragma once

#include <ATen/FunctionalInverses.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/DimVector.h>

#include <cstdint>
#include <memory>

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

// One step from a tensor to a view of it. The step can be made again, and undone. Each view has a
// class X_ViewMeta, which holds its arguments; the generator writes them to ViewMetaClasses.h.
//
// A value's elements may lie in memory differently than those of the tensor that it stands for.
// Views for which that matters get a copy, or are replaced by one that makes it.
struct TORCH_API ViewMeta {
  ViewMeta(bool reapply, const Geometry& viewed) : reapply_views(reapply), input(viewed) {}
  virtual ~ViewMeta();

  // The value of the view, given that of the viewed tensor; of all views with `replay_all`.
  Tensor replay(const Tensor& base) const;
  c10::IValue replay_all(const Tensor& base) const;
  // The value of the viewed tensor, after its view was changed.
  Tensor undo(const Tensor& base, const Tensor& mutated_view) const;
  // Whether the step reads memory of the base that the viewed tensor need not contain.
  bool reads_memory() const;

  // What the generated classes know: their name, the operator's results, and its inverse.
  virtual const char* name() const = 0;
  virtual c10::IValue forward(const Tensor& base) const = 0;
  virtual Tensor reverse(const Tensor& base, const Tensor& mutated_view) const = 0;
  // The step to another of the views that the operator returns; an error if it returns one.
  virtual std::shared_ptr<const ViewMeta> to_out_index(int64_t index) const;

  InverseReturnMode inverse_return_mode() const {
    return reapply_views ? InverseReturnMode::ViewOrScatterInverse : InverseReturnMode::NeverView;
  }

  int64_t out_index = 0; // which view, if the operator returns several
  bool reapply_views;    // else the values of views are copies
  Geometry input;        // the viewed tensor's

 private:
  Tensor laid_out(const Tensor& base) const;
};

} // namespace at::functionalization
