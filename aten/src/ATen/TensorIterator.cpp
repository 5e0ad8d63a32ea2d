#include <ATen/TensorIterator.h>

#include <ATen/Parallel.h>
#include <ATen/TensorIteratorInternal.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>

#include <algorithm>
#include <cstring>

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

// A value held inside an operand moves with it; the pointer to it has to follow.
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

// Always at least two dimensions, so that a 2d loop may read its outer strides.
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

// ---- loops ---------------------------------------------------------------------------------

namespace {

// Presents a 1d loop as a 2d one that steps the outer dimension itself.
struct RowByRow {
  TensorIteratorBase::loop1d_t loop;
  size_t ntensors;

  void operator()(char** base, const int64_t* strides, int64_t size0, int64_t size1) const {
    if (size1 == 1) {
      loop(base, strides, size0);
      return;
    }
    PtrVector row(base, base + ntensors);
    PtrVector scratch(ntensors);
    const int64_t* outer = strides + ntensors;
    for (int64_t i = 0; i < size1; ++i) {
      std::copy(row.begin(), row.end(), scratch.begin());
      loop(scratch.data(), strides, size0);
      for (size_t arg = 0; arg < ntensors; ++arg) {
        row[arg] += outer[arg];
      }
    }
  }
};

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileColumns = 64;
constexpr size_t kMaxTiled = 4;

// Four words of four columns become four words of four rows.
void transpose_words(uint32_t* target, const char* source, int64_t column_stride) {
  typedef uint32_t Words __attribute__((vector_size(16)));
  Words c[4];
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&c[i], source + i * column_stride, sizeof(Words));
  }
  const Words low = __builtin_shuffle(c[0], c[1], Words{0, 4, 1, 5});
  const Words high = __builtin_shuffle(c[0], c[1], Words{2, 6, 3, 7});
  const Words low2 = __builtin_shuffle(c[2], c[3], Words{0, 4, 1, 5});
  const Words high2 = __builtin_shuffle(c[2], c[3], Words{2, 6, 3, 7});
  const Words rows[4] = {
      __builtin_shuffle(low, low2, Words{0, 1, 4, 5}),
      __builtin_shuffle(low, low2, Words{2, 3, 6, 7}),
      __builtin_shuffle(high, high2, Words{0, 1, 4, 5}),
      __builtin_shuffle(high, high2, Words{2, 3, 6, 7})};
  for (int i = 0; i < 4; ++i) {
    std::memcpy(target + i * kTileColumns, &rows[i], sizeof(Words));
  }
}

template <typename T>
void transpose_tile(
    T* target, const char* source, int64_t column_stride, int64_t columns, int64_t rows) {
  int64_t column = 0;
  if constexpr (sizeof(T) == 4) {
    for (; rows == kTileRows && column + 4 <= columns; column += 4) {
      for (int64_t row = 0; row < kTileRows; row += 4) {
        transpose_words(
            target + row * kTileColumns + column, source + column * column_stride + row * 4,
            column_stride);
      }
    }
  }
  for (; column < columns; ++column) {
    const char* from = source + column * column_stride;
    if (rows == kTileRows) {
      for (int64_t row = 0; row < kTileRows; ++row) {
        std::memcpy(target + row * kTileColumns + column, from + row * sizeof(T), sizeof(T));
      }
    } else {
      for (int64_t row = 0; row < rows; ++row) {
        std::memcpy(target + row * kTileColumns + column, from + row * sizeof(T), sizeof(T));
      }
    }
  }
}

// Runs the loop row by row, but over tiles that hold transposed inputs the right way round.
struct TiledRows {
  TensorIteratorBase::loop1d_t loop;
  size_t ntensors;
  int64_t widths[kMaxTiled]; // element sizes of the operands to transpose, 0 for the others

  void operator()(char** base, const int64_t* strides, int64_t size0, int64_t size1) const {
    alignas(64) char buffer[kMaxTiled][kTileRows * kTileColumns * 8];
    const int64_t* outer = strides + ntensors;
    char* ptrs[kMaxTiled];
    int64_t steps[kMaxTiled];
    int64_t row_steps[kMaxTiled];
    for (int64_t row = 0; row < size1; row += kTileRows) {
      const int64_t rows = std::min(kTileRows, size1 - row);
      for (int64_t column = 0; column < size0; column += kTileColumns) {
        const int64_t columns = std::min(kTileColumns, size0 - column);
        for (size_t arg = 0; arg < ntensors; ++arg) {
          char* corner = base[arg] + row * outer[arg] + column * strides[arg];
          ptrs[arg] = widths[arg] == 0 ? corner : buffer[arg];
          steps[arg] = widths[arg] == 0 ? strides[arg] : widths[arg];
          row_steps[arg] = widths[arg] == 0 ? outer[arg] : widths[arg] * kTileColumns;
          if (widths[arg] == 4) {
            transpose_tile(
                reinterpret_cast<uint32_t*>(buffer[arg]), corner, strides[arg], columns, rows);
          } else if (widths[arg] == 8) {
            transpose_tile(
                reinterpret_cast<uint64_t*>(buffer[arg]), corner, strides[arg], columns, rows);
          } else if (widths[arg] == 2) {
            transpose_tile(
                reinterpret_cast<uint16_t*>(buffer[arg]), corner, strides[arg], columns, rows);
          } else if (widths[arg] == 1) {
            transpose_tile(
                reinterpret_cast<uint8_t*>(buffer[arg]), corner, strides[arg], columns, rows);
          }
        }
        for (int64_t i = 0; i < rows; ++i) {
          char* row_ptrs[kMaxTiled];
          for (size_t arg = 0; arg < ntensors; ++arg) {
            row_ptrs[arg] = ptrs[arg] + i * row_steps[arg];
          }
          loop(row_ptrs, steps, columns);
        }
      }
    }
  }
};

} // namespace

void TensorIteratorBase::for_each_row(loop1d_t loop, int64_t grain_size) {
  if (ndim() < 2 || operands_.size() > kMaxTiled || shape_[0] < 8 || shape_[1] < 8) {
    for_each_1d(loop, grain_size);
    return;
  }
  TiledRows tiled{loop, operands_.size(), {}};
  bool any = false;
  for (size_t arg = num_outputs_; arg < operands_.size(); ++arg) {
    const auto& op = operands_[arg];
    const auto width = static_cast<int64_t>(c10::elementSize(op.current_dtype));
    const bool transposed = width <= 8 && op.stride_bytes[1] == width &&
        op.stride_bytes[0] != width && op.stride_bytes[0] != 0;
    tiled.widths[arg] = transposed ? width : 0;
    any = any || transposed;
  }
  if (any) {
    for_each_2d(tiled, grain_size);
  } else {
    for_each_1d(loop, grain_size);
  }
}

void TensorIteratorBase::serial_for_each_2d(loop2d_t loop, Range range) const {
  if (range.size() == 0) {
    return;
  }
  auto ptrs = get_base_ptrs();
  const auto strides = get_strides();
  internal::serial_for_each(shape_, strides, ptrs.data(), ptrs.size(), loop, range);
}

void TensorIteratorBase::serial_for_each_1d(loop1d_t loop, Range range) const {
  if (range.size() == 0) {
    return;
  }
  if (ndim() <= 1) {
    auto ptrs = get_base_ptrs();
    const auto strides = get_inner_strides();
    if (range.begin != 0) {
      for (size_t arg = 0; arg < ptrs.size(); ++arg) {
        ptrs[arg] += range.begin * strides[arg];
      }
    }
    loop(ptrs.data(), strides.data(), range.size());
    return;
  }
  serial_for_each_2d(RowByRow{loop, operands_.size()}, range);
}

void TensorIteratorBase::for_each_1d(loop1d_t loop, int64_t grain_size) {
  const int64_t numel = this->numel();
  if (numel < grain_size || at::get_num_threads() == 1 || at::in_parallel_region()) {
    serial_for_each_1d(loop, {0, numel});
    return;
  }
  at::parallel_for(0, numel, grain_size, [&](int64_t begin, int64_t end) {
    serial_for_each_1d(loop, {begin, end});
  });
}

void TensorIteratorBase::for_each_2d(loop2d_t loop, int64_t grain_size) {
  const int64_t numel = this->numel();
  if (numel < grain_size || at::get_num_threads() == 1 || at::in_parallel_region()) {
    serial_for_each_2d(loop, {0, numel});
    return;
  }
  at::parallel_for(0, numel, grain_size, [&](int64_t begin, int64_t end) {
    serial_for_each_2d(loop, {begin, end});
  });
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
