// Strides of an iterator: broadcasting, ordering the dimensions and merging them.

#include <ATen/EmptyTensor.h>
#include <ATen/TensorIterator.h>

namespace at {

namespace {

int64_t size_of(ScalarType dtype) {
  return static_cast<int64_t>(c10::elementSize(dtype));
}

} // namespace

void TensorIteratorBase::compute_strides() {
  const int ndim = this->ndim();
  for (auto& op : operands_) {
    if (!op.tensor.defined() || op.holds_value || op.will_resize) {
      if (op.is_number || op.holds_value) {
        op.stride_bytes.assign(ndim, 0);
      }
      continue;
    }
    const TensorBase& tensor = op.tensor.get();
    const auto sizes = tensor.sizes();
    const auto strides = tensor.strides();
    const int offset = ndim - static_cast<int>(sizes.size());
    const int64_t element_size = size_of(op.target_dtype);
    op.stride_bytes.assign(ndim, 0);
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (sizes[dim] == 1 && shape_[offset + dim] != 1) {
        continue;
      }
      op.stride_bytes[offset + dim] = strides[dim] * element_size;
    }
  }
}

namespace {

// Positive when dim0 should be iterated outside dim1, negative when the current order is right.
int compare_dims(
    const c10::SmallVectorImpl<OperandInfo>& operands, IntArrayRef shape, bool is_reduction,
    int64_t dim0, int64_t dim1) {
  for (const auto& op : operands) {
    if (op.stride_bytes.empty() || op.will_resize) {
      continue;
    }
    const int64_t stride0 = op.stride_bytes[dim0];
    const int64_t stride1 = op.stride_bytes[dim1];
    if (is_reduction && op.is_output && (stride0 == 0) != (stride1 == 0)) {
      return stride1 == 0 ? 1 : -1; // reduced dimensions come first
    }
    if (stride0 == 0 || stride1 == 0) {
      continue;
    }
    if (stride0 != stride1) {
      return stride0 < stride1 ? -1 : 1;
    }
    if (shape[dim0] > shape[dim1]) {
      return 1;
    }
  }
  return 0;
}

} // namespace

void TensorIteratorBase::reorder_dimensions(bool enforce_linear_iteration) {
  const int ndim = this->ndim();
  perm_.resize(ndim);
  for (int i = 0; i < ndim; ++i) {
    perm_[i] = ndim - 1 - i;
  }
  if (!enforce_linear_iteration) {
    // Insertion sort: it is stable, and it keeps searching past an ambiguous pair.
    for (int i = 1; i < ndim; ++i) {
      int dim1 = i;
      for (int dim0 = i - 1; dim0 >= 0; --dim0) {
        const int order = compare_dims(operands_, shape_, is_reduction_, perm_[dim0], perm_[dim1]);
        if (order > 0) {
          std::swap(perm_[dim0], perm_[dim1]);
          dim1 = dim0;
        } else if (order < 0) {
          break;
        }
      }
    }
  }
  permute_dimensions(perm_);
}

void TensorIteratorBase::permute_dimensions(IntArrayRef perm) {
  const DimVector shape = shape_;
  for (size_t i = 0; i < perm.size(); ++i) {
    shape_[i] = shape[perm[i]];
  }
  for (auto& op : operands_) {
    if (op.stride_bytes.empty()) {
      continue;
    }
    const StrideVector strides = op.stride_bytes;
    for (size_t i = 0; i < perm.size(); ++i) {
      op.stride_bytes[i] = strides[perm[i]];
    }
  }
}

void TensorIteratorBase::allocate_or_resize_outputs() {
  bool reversed = true;
  for (int i = 0; i < ndim(); ++i) {
    reversed = reversed && perm_[i] == ndim() - 1 - i;
  }
  for (int i = 0; i < num_outputs_; ++i) {
    auto& op = operands_[i];
    const bool casts = op.is_type_defined() && op.current_dtype != op.target_dtype;
    const auto options = TensorOptions().dtype(op.target_dtype).device(op.device);
    DimVector sizes = invert_perm(shape_);
    DimVector strides;
    if (!op.tensor.defined() || op.will_resize) {
      op.stride_bytes = compatible_stride(size_of(op.target_dtype));
      if (!reversed) {
        strides = invert_perm(op.stride_bytes);
        for (auto& stride : strides) {
          stride /= size_of(op.target_dtype);
        }
      }
      set_output_raw_strided(i, sizes, strides, options);
    } else {
      set_output_raw_strided(i, op.tensor.get().sizes(), {}, options);
    }
    if (casts && common_device_.is_cpu()) {
      TORCH_INTERNAL_ASSERT(!is_reduction_);
      const int64_t width = size_of(op.current_dtype);
      op.stride_bytes = compatible_stride(width);
      strides = invert_perm(op.stride_bytes);
      for (auto& stride : strides) {
        stride /= width;
      }
      op.original_tensor = std::move(op.tensor);
      op.tensor = OperandTensor::owned(
          at::detail::empty_strided_on(op.device, sizes, strides, op.current_dtype));
    }
  }
}

// Finds a layout that lets the whole iteration run as one pass over memory.
FastSetupType TensorIteratorBase::find_same_layout() const {
  bool contiguous = true;
  bool channels_last = true;
  bool dense = true;
  const TensorBase* first = nullptr;
  for (const auto& op : operands_) {
    if (!op.tensor.defined() || op.will_resize || op.holds_value) {
      continue;
    }
    const auto& tensor = op.tensor.get();
    contiguous = contiguous && tensor.is_contiguous();
    channels_last = channels_last && tensor.is_contiguous(at::MemoryFormat::ChannelsLast);
    dense = dense && tensor.is_non_overlapping_and_dense() &&
        (first == nullptr || first->strides() == tensor.strides());
    first = first == nullptr ? &tensor : first;
  }
  if (first == nullptr) {
    return FastSetupType::NONE;
  }
  return contiguous   ? FastSetupType::CONTIGUOUS
      : channels_last ? FastSetupType::CHANNELS_LAST
      : dense         ? FastSetupType::NON_OVERLAPPING_DENSE
                      : FastSetupType::NONE;
}

bool TensorIteratorBase::set_up_same_layout(const TensorIteratorFlags& flags) {
  if (is_reduction_ || !all_ops_same_shape_ || flags.enforce_linear_iteration || ndim() == 0) {
    return false;
  }
  for (int i = 0; i < ntensors(); ++i) {
    const auto& op = operands_[i];
    if (op.is_number || op.holds_value ||
        (i < num_outputs_ && op.current_dtype != op.target_dtype)) {
      return false;
    }
  }
  const auto layout = find_same_layout();
  if (layout == FastSetupType::NONE) {
    return false;
  }
  const DimVector sizes = shape_;
  for (int i = 0; i < num_outputs_; ++i) {
    set_output_like(i, sizes, layout);
  }
  const int64_t numel = this->numel();
  has_coalesced_dimensions_ = ndim() > 1;
  shape_.assign(1, numel);
  view_offsets_.assign(1, 0);
  for (auto& op : operands_) {
    op.stride_bytes.assign(1, size_of(op.current_dtype));
  }
  return true;
}

void TensorIteratorBase::set_output_like(int64_t arg, IntArrayRef sizes, FastSetupType layout) {
  auto& op = operands_[arg];
  const auto options = TensorOptions().dtype(op.target_dtype).device(op.device);
  if (op.tensor.defined() && !op.will_resize) {
    set_output_raw_strided(arg, sizes, {}, options);
    return;
  }
  switch (layout) {
    case FastSetupType::CHANNELS_LAST:
      set_output_raw_strided(
          arg, sizes, c10::get_channels_last_strides_2d(sizes),
          options.memory_format(at::MemoryFormat::ChannelsLast));
      return;
    case FastSetupType::NON_OVERLAPPING_DENSE:
      for (const auto& other : operands_) {
        if (other.tensor.defined() && !other.will_resize && !other.is_output) {
          set_output_raw_strided(arg, sizes, other.tensor.get().strides(), options);
          return;
        }
      }
      [[fallthrough]];
    default:
      set_output_raw_strided(arg, sizes, {}, options);
  }
}

void TensorIteratorBase::coalesce_dimensions() {
  const int ndim = this->ndim();
  if (ndim <= 1) {
    return;
  }
  const auto can_coalesce = [&](int dim0, int dim1) {
    if (shape_[dim0] == 1 || shape_[dim1] == 1) {
      return true;
    }
    for (const auto& op : operands_) {
      if (shape_[dim0] * op.stride_bytes[dim0] != op.stride_bytes[dim1]) {
        return false;
      }
    }
    return true;
  };
  const auto replace_stride = [&](int dim0, int dim1) {
    for (auto& op : operands_) {
      op.stride_bytes[dim0] = op.stride_bytes[dim1];
    }
  };
  int last = 0;
  for (int dim = 1; dim < ndim; ++dim) {
    if (can_coalesce(last, dim)) {
      if (shape_[last] == 1) {
        replace_stride(last, dim);
      }
      shape_[last] *= shape_[dim];
    } else {
      ++last;
      if (last != dim) {
        replace_stride(last, dim);
        shape_[last] = shape_[dim];
      }
    }
  }
  shape_.resize(last + 1);
  for (auto& op : operands_) {
    op.stride_bytes.resize(last + 1);
  }
  has_coalesced_dimensions_ = true;
  view_offsets_.assign(shape_.size(), 0);
}

} // namespace at
