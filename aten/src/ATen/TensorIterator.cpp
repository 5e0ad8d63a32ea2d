#include <ATen/TensorIterator.h>

#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>

namespace at {

using StrideVector = TensorIteratorBase::StrideVector;
using PtrVector = TensorIteratorBase::PtrVector;

TensorIteratorBase::TensorIteratorBase(const TensorIteratorBase& other)
    : impl::MetaBase(other),
      operands_(other.operands_),
      shape_(other.shape_),
      perm_(other.perm_),
      view_offsets_(other.view_offsets_),
      num_outputs_(other.num_outputs_),
      common_dtype_(other.common_dtype_),
      common_device_(other.common_device_),
      has_coalesced_dimensions_(other.has_coalesced_dimensions_),
      all_ops_same_shape_(other.all_ops_same_shape_),
      all_ops_are_scalars_(other.all_ops_are_scalars_),
      accumulate_(other.accumulate_),
      final_output_(other.final_output_),
      is_reduction_(other.is_reduction_),
      is_meta_(other.is_meta_) {
  rebind_values();
}

TensorIteratorBase& TensorIteratorBase::operator=(const TensorIteratorBase& other) {
  if (this != &other) {
    operands_ = other.operands_;
    shape_ = other.shape_;
    perm_ = other.perm_;
    view_offsets_ = other.view_offsets_;
    num_outputs_ = other.num_outputs_;
    common_dtype_ = other.common_dtype_;
    common_device_ = other.common_device_;
    has_coalesced_dimensions_ = other.has_coalesced_dimensions_;
    all_ops_same_shape_ = other.all_ops_same_shape_;
    all_ops_are_scalars_ = other.all_ops_are_scalars_;
    accumulate_ = other.accumulate_;
    final_output_ = other.final_output_;
    is_reduction_ = other.is_reduction_;
    is_meta_ = other.is_meta_;
    rebind_values();
  }
  return *this;
}

// A value stored inside an operand moves with the operand, so the pointer to it must be updated.
void TensorIteratorBase::rebind_values() {
  for (auto& op : operands_) {
    if (op.holds_value) {
      op.data = op.value;
    }
  }
}

int64_t TensorIteratorBase::numel() const {
  int64_t numel = 1;
  for (const int64_t size : shape_) {
    numel *= size;
  }
  return numel;
}

bool TensorIteratorBase::is_scalar(int64_t arg) const {
  const auto& op = operands_[arg];
  return op.holds_value || op.tensor.get().numel() == 1;
}

bool TensorIteratorBase::is_contiguous() const {
  if (numel() == 1) {
    return true;
  }
  if (ndim() != 1) {
    return false;
  }
  for (const auto& op : operands_) {
    if (op.stride_bytes[0] != static_cast<int64_t>(c10::elementSize(op.current_dtype))) {
      return false;
    }
  }
  return true;
}

bool TensorIteratorBase::is_dim_reduced(int dim) const {
  for (const auto& op : operands_) {
    if (op.is_output && op.stride_bytes[dim] == 0 && shape_[dim] > 1) {
      return true;
    }
  }
  return false;
}

int TensorIteratorBase::num_reduce_dims() const {
  int count = 0;
  for (int dim = 0; dim < ndim(); ++dim) {
    count += operands_[0].stride_bytes[dim] == 0 ? 1 : 0;
  }
  return count;
}

int64_t TensorIteratorBase::num_output_elements() const {
  int64_t count = 1;
  for (int dim = 0; dim < ndim(); ++dim) {
    if (operands_[0].stride_bytes[dim] != 0 || shape_[dim] == 0) {
      count *= shape_[dim];
    }
  }
  return count;
}

StrideVector TensorIteratorBase::get_dim_strides(int dim) const {
  StrideVector strides(operands_.size());
  for (size_t arg = 0; arg < operands_.size(); ++arg) {
    strides[arg] = operands_[arg].stride_bytes[dim];
  }
  return strides;
}

StrideVector TensorIteratorBase::get_inner_strides() const {
  return ndim() == 0 ? StrideVector(operands_.size(), 0) : get_dim_strides(0);
}

// Always at least two dimensions, so that a 2d loop can read its outer strides.
StrideVector TensorIteratorBase::get_strides() const {
  const size_t ntensors = operands_.size();
  StrideVector strides(ntensors * std::max<size_t>(shape_.size(), 2), 0);
  for (size_t dim = 0; dim < shape_.size(); ++dim) {
    for (size_t arg = 0; arg < ntensors; ++arg) {
      strides[dim * ntensors + arg] = operands_[arg].stride_bytes[dim];
    }
  }
  return strides;
}

PtrVector TensorIteratorBase::get_base_ptrs() const {
  PtrVector ptrs(operands_.size());
  for (size_t arg = 0; arg < operands_.size(); ++arg) {
    ptrs[arg] = static_cast<char*>(operands_[arg].data);
  }
  return ptrs;
}

StrideVector TensorIteratorBase::compatible_stride(int64_t element_size) const {
  StrideVector strides;
  int64_t next = element_size;
  for (const int64_t size : shape_) {
    strides.push_back(next);
    next *= std::max<int64_t>(size, 1);
  }
  return strides;
}

DimVector TensorIteratorBase::invert_perm(IntArrayRef input) const {
  TORCH_INTERNAL_ASSERT(!has_coalesced_dimensions_ && input.size() == perm_.size());
  DimVector result(input.size());
  for (size_t dim = 0; dim < perm_.size(); ++dim) {
    result[perm_[dim]] = input[dim];
  }
  return result;
}

// ---- narrowing -----------------------------------------------------------------------------

void TensorIteratorBase::narrow(int dim, int64_t start, int64_t size) {
  TORCH_INTERNAL_ASSERT(dim < ndim() && size >= 1);
  shape_[dim] = size;
  view_offsets_[dim] += start;
  for (auto& op : operands_) {
    op.data = static_cast<char*>(op.data) + op.stride_bytes[dim] * start;
  }
  if (size == 1 && !is_reduction_) {
    coalesce_dimensions();
  }
}

void TensorIteratorBase::select_all_keeping_dim(int start_dim, IntArrayRef indices) {
  TORCH_INTERNAL_ASSERT(start_dim <= ndim());
  for (int dim = start_dim; dim < ndim(); ++dim) {
    for (auto& op : operands_) {
      op.data = static_cast<char*>(op.data) + op.stride_bytes[dim] * indices[dim - start_dim];
    }
    shape_[dim] = 1;
  }
}

void TensorIteratorBase::unsafe_replace_operand(int64_t arg, void* data) {
  operands_[arg].data = data;
}

void TensorIteratorBase::remove_operand(int64_t arg) {
  operands_.erase(operands_.begin() + arg);
  rebind_values();
  num_outputs_ -= arg < num_outputs_ ? 1 : 0;
}

void TensorIteratorBase::remove_dimension(int dim) {
  TORCH_INTERNAL_ASSERT(dim >= 0 && dim < ndim());
  shape_.erase(shape_.begin() + dim);
  if (static_cast<size_t>(dim) < view_offsets_.size()) {
    view_offsets_.erase(view_offsets_.begin() + dim);
  }
  for (auto& op : operands_) {
    op.stride_bytes.erase(op.stride_bytes.begin() + dim);
  }
}

std::unique_ptr<TensorIterator> TensorIteratorBase::split(int dim) {
  TORCH_INTERNAL_ASSERT(dim >= 0 && dim < ndim() && shape_[dim] >= 2);
  auto first = std::make_unique<TensorIterator>(*this);
  const bool overlaps = is_dim_reduced(dim);
  const int64_t first_size = shape_[dim] / 2;
  const int64_t second_size = shape_[dim] - first_size;
  first->narrow(dim, 0, first_size);
  first->final_output_ &= !overlaps;
  narrow(dim, first_size, second_size);
  accumulate_ |= overlaps;
  return first;
}

int TensorIteratorBase::get_dim_to_split() const {
  TORCH_INTERNAL_ASSERT(ndim() >= 1);
  int64_t max_extent = -1;
  int dim_to_split = -1;
  for (int dim = ndim() - 1; dim >= 0; --dim) {
    if (shape_[dim] == 0) {
      continue;
    }
    for (const auto& op : operands_) {
      const int64_t extent = (shape_[dim] - 1) * std::abs(op.stride_bytes[dim]);
      if (extent > max_extent) {
        max_extent = extent;
        dim_to_split = dim;
      }
    }
  }
  return dim_to_split;
}

void TensorIteratorBase::cast_outputs() {
  for (int i = 0; i < num_outputs_; ++i) {
    auto& op = operands_[i];
    if (op.original_tensor.defined() && op.current_dtype != op.target_dtype) {
      native::copy_same_shape(op.original_tensor.get(), op.tensor.get());
      op.tensor = std::move(op.original_tensor);
      op.current_dtype = op.target_dtype;
    }
  }
}

} // namespace at
