// Setup of an iterator: the order of the steps, overlap checks, shapes, outputs.

#include <ATen/TensorIterator.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>

namespace at {

void TensorIteratorBase::add_operand(const TensorBase& tensor, bool is_output, bool is_const) {
  auto& op = operands_.emplace_back();
  op.tensor.borrow(tensor);
  op.is_output = is_output;
  op.is_const = is_const;
  num_outputs_ += is_output ? 1 : 0;
  if (tensor.defined()) {
    op.device = tensor.device();
    op.target_dtype = tensor.scalar_type();
    op.current_dtype = op.target_dtype;
  }
}

void TensorIteratorBase::build(TensorIteratorConfig& config) {
  TORCH_INTERNAL_ASSERT(operands_.empty(), "an iterator can be built only once");
  for (auto& entry : config.entries_) {
    if (entry.number) {
      add_number(*entry.number);
    } else {
      add_operand(entry.tensor.get(), entry.is_output, entry.is_const);
      operands_.back().tensor = std::move(entry.tensor);
    }
  }
  build_with(config.flags_, config.static_shape_, config.static_device_);
}

void TensorIteratorBase::build_with(
    const TensorIteratorFlags& flags, const std::optional<DimVector>& static_shape,
    std::optional<Device> static_device) {
  is_reduction_ = flags.is_reduction;
  if (!static_shape && !static_device && build_fast(flags)) {
    return;
  }
  mark_outputs();
  compute_mem_overlaps(flags);
  compute_shape(flags, static_shape);
  mark_resize_outputs(flags, static_shape.has_value());
  compute_types(flags, static_device);
  if (!set_up_same_layout(flags)) {
    compute_strides();
    reorder_dimensions(flags.enforce_linear_iteration);
    allocate_or_resize_outputs();
    if (!is_meta_) {
      coalesce_dimensions();
    }
  }
  fetch_data_pointers();
}

void TensorIteratorBase::mark_outputs() {
  for (int i = 0; i < num_outputs_; ++i) {
    auto& out = operands_[i];
    if (!out.tensor.defined()) {
      continue;
    }
    for (int j = num_outputs_; j < ntensors(); ++j) {
      if (out.tensor.get().is_same(operands_[j].tensor.get())) {
        out.is_read_write = true;
      }
    }
  }
}

void TensorIteratorBase::compute_mem_overlaps(const TensorIteratorFlags& flags) {
  if (!flags.check_mem_overlap) {
    return;
  }
  for (int i = 0; i < num_outputs_; ++i) {
    const auto& output = operands_[i].tensor.get();
    if (!output.defined()) {
      continue;
    }
    assert_no_internal_overlap(output);
    for (int j = num_outputs_; j < ntensors(); ++j) {
      const auto& input = operands_[j].tensor.get();
      if (input.defined() && !input.is_same(output)) {
        assert_no_partial_overlap(output, input);
      }
    }
  }
}

void TensorIteratorBase::compute_shape(
    const TensorIteratorFlags& flags, const std::optional<DimVector>& static_shape) {
  if (static_shape) {
    shape_ = *static_shape;
    return;
  }
  all_ops_same_shape_ = true;
  bool has_scalars = false;
  bool has_tensors = false;
  for (const auto& op : operands_) {
    if (!op.tensor.defined()) {
      has_scalars = has_scalars || op.is_number;
      continue;
    }
    // An output that may be resized takes no part in broadcasting.
    if (flags.resize_outputs && op.is_output) {
      continue;
    }
    const auto sizes = op.tensor.get().sizes();
    (sizes.empty() ? has_scalars : has_tensors) = true;
    if (has_scalars && has_tensors) {
      all_ops_same_shape_ = false;
    }
    if (shape_.empty()) {
      shape_ = DimVector(sizes.begin(), sizes.end());
    } else if (IntArrayRef(shape_) != sizes) {
      all_ops_same_shape_ = false;
      shape_ = infer_size_dimvector(shape_, sizes);
    }
  }
  all_ops_are_scalars_ = !has_tensors;
  if (has_scalars && has_tensors) {
    all_ops_same_shape_ = false;
  }
}

void TensorIteratorBase::mark_resize_outputs(
    const TensorIteratorFlags& flags, bool has_static_shape) {
  if (has_static_shape) {
    return;
  }
  for (int i = 0; i < num_outputs_; ++i) {
    auto& op = operands_[i];
    if (!op.tensor.defined() || op.tensor.get().sizes() == IntArrayRef(shape_)) {
      continue;
    }
    if (flags.resize_outputs && !op.is_read_write) {
      op.will_resize = true;
      continue;
    }
    TORCH_CHECK(
        is_reduction_, "output with shape ", op.tensor.get().sizes(),
        " doesn't match the broadcast shape ", IntArrayRef(shape_));
  }
}

void TensorIteratorBase::fetch_data_pointers() {
  if (view_offsets_.size() != shape_.size()) {
    view_offsets_.assign(shape_.size(), 0);
  }
  for (auto& op : operands_) {
    if (op.holds_value) {
      op.data = op.value;
    } else if (!is_meta_ && op.tensor.defined()) {
      op.data = op.is_output ? op.tensor.get().mutable_data_ptr()
                             : const_cast<void*>(op.tensor.get().const_data_ptr());
    }
  }
}

// ---- outputs ---------------------------------------------------------------------------------

// Called by a structured kernel's class after it made or resized its output.
void TensorIteratorBase::set_output_raw_strided(
    int64_t output_idx, IntArrayRef, IntArrayRef, TensorOptions, DimnameList) {
  auto& op = operands_[output_idx];
  if (!op.tensor.defined()) {
    op.tensor.borrow(reinterpret_cast<const TensorBase&>(maybe_get_output(output_idx)));
  }
  op.will_resize = false;
}

void TensorIterator::set_output_raw_strided(
    int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
    DimnameList) {
  auto& op = operands_[output_idx];
  if (!op.tensor.defined()) {
    const auto dtype = c10::typeMetaToScalarType(options.dtype());
    TensorBase made = strides.empty()
        ? at::detail::empty_on(options.device(), sizes, dtype)
        : at::detail::empty_strided_on(options.device(), sizes, strides, dtype);
    op.tensor = OperandTensor::owned(std::move(made));
  } else if (op.will_resize) {
    const auto& tensor = reinterpret_cast<const Tensor&>(op.tensor.get());
    native::resize_output(tensor, sizes);
    if (!strides.empty()) {
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    }
  }
  op.will_resize = false;
}

const Tensor& TensorIterator::maybe_get_output(int64_t output_idx) {
  return output(output_idx);
}

} // namespace at
