// How an iterator is set up: shapes, strides, dimension order, outputs.

#include <ATen/TensorIterator.h>

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>

#include <cstring>

namespace at {

namespace {

int64_t size_of(ScalarType dtype) {
  return static_cast<int64_t>(c10::elementSize(dtype));
}

int category(ScalarType dtype) {
  if (c10::isComplexType(dtype)) {
    return 3;
  }
  if (c10::isFloatingType(dtype)) {
    return 2;
  }
  return dtype == ScalarType::Bool ? 0 : 1;
}

} // namespace

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
  TORCH_INTERNAL_ASSERT(operands_.empty(), "an iterator is built once");
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

// The usual call: every tensor is contiguous with one shape and dtype, and any other operand is a
// number or a zero-dimensional CPU tensor that cannot change the result's dtype.
bool TensorIteratorBase::build_fast(const TensorIteratorFlags& flags) {
  if (flags.is_reduction || flags.enforce_linear_iteration) {
    return false;
  }
  const OperandInfo* leader = nullptr; // decides shape, dtype and device
  bool leader_has_dims = false;
  for (int i = num_outputs_; i < ntensors(); ++i) {
    const auto& op = operands_[i];
    if (op.is_number || op.tensor.get().unsafeGetTensorImpl()->is_wrapped_number()) {
      continue;
    }
    const bool has_dims = op.tensor.get().dim() > 0;
    if (leader == nullptr || (has_dims && !leader_has_dims)) {
      leader = &op;
      leader_has_dims = has_dims;
    }
  }
  if (leader == nullptr || !(leader->device.is_cpu() || leader->device.is_meta())) {
    return false;
  }
  const ScalarType dtype = leader->current_dtype;
  const int rank = category(dtype);
  // Operands may differ in dtype when nothing promotes or checks them; numbers then take the
  // output's.
  const bool mixed = !flags.promote_inputs_to_common_dtype && !flags.check_all_same_dtype;
  if ((flags.promote_integer_inputs_to_float && rank < 2) ||
      (mixed && flags.static_dtype == ScalarType::Undefined)) {
    return false;
  }
  const TensorBase& model = leader->tensor.get();
  const IntArrayRef sizes = model.sizes();
  bool has_values = false;
  for (int i = num_outputs_; i < ntensors(); ++i) {
    const auto& op = operands_[i];
    if (op.is_number) {
      if (!mixed && (category(op.current_dtype) > rank || !flags.promote_inputs_to_common_dtype)) {
        return false;
      }
      has_values = true;
      continue;
    }
    const TensorBase& tensor = op.tensor.get();
    if (tensor.dim() == 0 && (leader_has_dims || &op != leader)) {
      const bool same_dtype = op.current_dtype == dtype;
      const bool yields = leader_has_dims || tensor.unsafeGetTensorImpl()->is_wrapped_number();
      if (!op.device.is_cpu() || !leader->device.is_cpu() ||
          (!same_dtype && !mixed &&
           (!yields || category(op.current_dtype) > rank ||
            !flags.promote_inputs_to_common_dtype))) {
        return false;
      }
      has_values = has_values || (!same_dtype && !mixed);
      continue;
    }
    if ((op.current_dtype != dtype && !mixed) || op.device != leader->device ||
        !tensor.is_contiguous() || (&op != leader && tensor.sizes() != sizes)) {
      return false;
    }
  }
  const ScalarType computed =
      flags.static_dtype != ScalarType::Undefined ? flags.static_dtype : dtype;
  for (int i = 0; i < num_outputs_; ++i) {
    const auto& op = operands_[i];
    if (!op.tensor.defined()) {
      continue;
    }
    const TensorBase& tensor = op.tensor.get();
    if (op.current_dtype != computed || op.device != leader->device || !tensor.is_contiguous() ||
        tensor.sizes() != sizes) {
      return false;
    }
    if (!flags.check_mem_overlap) {
      continue;
    }
    // Equal extents either coincide or need the full check.
    for (int j = num_outputs_; j < ntensors(); ++j) {
      const auto& input = operands_[j];
      if (!input.is_number &&
          input.tensor.get().unsafeGetTensorImpl() != tensor.unsafeGetTensorImpl() &&
          tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl() ==
              input.tensor.get().unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl()) {
        return false;
      }
    }
  }

  common_dtype_ = dtype;
  common_device_ = leader->device;
  is_meta_ = common_device_.is_meta();
  all_ops_same_shape_ = true;
  has_coalesced_dimensions_ = true;
  const int64_t numel = model.numel();
  if (leader_has_dims) {
    shape_.push_back(numel);
    view_offsets_.push_back(0);
  }
  for (int i = 0; i < ntensors(); ++i) {
    auto& op = operands_[i];
    if (i < num_outputs_) {
      if (!op.tensor.defined()) {
        op.device = common_device_;
        op.target_dtype = computed;
        op.current_dtype = computed;
      }
      set_output_raw_strided(i, sizes, {}, TensorOptions().dtype(computed).device(common_device_));
      if (leader_has_dims) {
        op.stride_bytes.push_back(size_of(computed));
      }
      continue;
    }
    const bool broadcast = op.is_number || (leader_has_dims && op.tensor.get().dim() == 0);
    if (has_values && (op.is_number || (!mixed && op.current_dtype != dtype))) {
      convert_number(op, mixed ? flags.static_dtype : dtype);
    }
    if (leader_has_dims) {
      op.stride_bytes.push_back(broadcast ? 0 : size_of(op.current_dtype));
    }
  }
  fetch_data_pointers();
  return true;
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
    // An output that may be resized does not take part in broadcasting.
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

// Positive when dim0 should be iterated outside dim1, negative when it is fine as it is.
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
    // Insertion sort: stable, and an ambiguous pair does not stop the search.
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
    if (casts && !is_meta_) {
      TORCH_INTERNAL_ASSERT(!is_reduction_);
      const int64_t width = size_of(op.current_dtype);
      op.stride_bytes = compatible_stride(width);
      strides = invert_perm(op.stride_bytes);
      for (auto& stride : strides) {
        stride /= width;
      }
      op.original_tensor = std::move(op.tensor);
      op.tensor =
          OperandTensor::owned(at::detail::empty_strided_cpu(sizes, strides, op.current_dtype));
    }
  }
}

// Layouts that let the whole iteration be one run over memory.
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
    TensorBase made = options.device().is_meta()
        ? (strides.empty() ? at::detail::empty_meta(sizes, dtype)
                           : at::detail::empty_strided_meta(sizes, strides, dtype))
        : strides.empty() ? at::detail::empty_cpu(sizes, dtype)
                          : at::detail::empty_strided_cpu(sizes, strides, dtype);
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
