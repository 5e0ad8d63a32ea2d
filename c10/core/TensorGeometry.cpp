// The part of TensorImpl that stores sizes, strides and the flags derived from them.

#include <c10/core/TensorGeometry.h>

#include <c10/core/TensorImpl.h>
#include <c10/util/safe_numerics.h>

#include <algorithm>

namespace c10 {

namespace {

void check_not_negative(IntArrayRef sizes) {
  for (const int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
  }
}

// Whether the strides are row-major. Dimensions of size one may have any stride.
bool row_major(IntArrayRef sizes, IntArrayRef strides) {
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1) {
      if (strides[i] != expected) {
        return false;
      }
      expected *= sizes[i];
    }
  }
  return true;
}

bool channels_last_dense(IntArrayRef sizes, IntArrayRef strides) {
  int64_t expected = 1;
  auto fits = [&](size_t d) {
    if (sizes[d] == 1) {
      return true;
    }
    const bool as_expected = strides[d] == expected;
    expected *= sizes[d];
    return as_expected;
  };
  bool dense = fits(1);
  for (size_t d = sizes.size(); dense && --d > 1;) {
    dense = fits(d);
  }
  return dense && fits(0);
}

// Whether this is a permutation of a row-major tensor: sorted by stride, each stride equals the
// product of the sizes below it.
bool dense_in_some_order(IntArrayRef sizes, IntArrayRef strides) {
  if (sizes.size() == 1) {
    return sizes[0] < 2 || strides[0] == 1;
  }
  SmallVector<size_t, 8> order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (sizes[a] < 2) {
      return false;
    }
    return sizes[b] < 2 || strides[a] < strides[b];
  });
  int64_t expected = 1;
  for (size_t d : order) {
    if (sizes[d] < 2) {
      return true;
    }
    if (strides[d] != expected) {
      return false;
    }
    expected *= sizes[d];
  }
  return true;
}

} // namespace

int64_t checked_numel(IntArrayRef sizes) {
  uint64_t total = 1;
  for (int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
    TORCH_CHECK(
        !mul_overflows(total, static_cast<uint64_t>(size), &total) &&
            total <= static_cast<uint64_t>(INT64_MAX),
        "numel: integer multiplication overflow");
  }
  return static_cast<int64_t>(total);
}

int64_t check_contiguous_geometry(IntArrayRef sizes) {
  const int64_t numel = checked_numel(sizes);
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 1;) {
    TORCH_CHECK(
        !mul_overflows(stride, std::max<int64_t>(sizes[i], 1), &stride),
        "Stride calculation overflowed");
  }
  return numel;
}

void TensorImpl::set_sizes_contiguous(IntArrayRef sizes) {
  if (C10_UNLIKELY(!allow_tensor_metadata_change())) {
    throw_frozen("set_sizes_contiguous");
  }
  sizes_and_strides_.set_sizes(sizes);
  const size_t ndim = sizes.size();
  int64_t* strides = sizes_and_strides_.strides_data();
  int64_t stride = 1;
  int64_t numel = 1;
  bool bad = false;
  for (size_t i = ndim; i-- > 0;) {
    const int64_t size = sizes_and_strides_.size_at_unchecked(i);
    strides[i] = stride;
    bad |= size < 0 || __builtin_mul_overflow(numel, size, &numel);
    bad |= __builtin_mul_overflow(stride, size > 1 ? size : 1, &stride);
  }
  if (C10_UNLIKELY(bad)) {
    numel = check_contiguous_geometry(this->sizes());
  }
  numel_ = numel;
  if (C10_LIKELY(ndim < 4 || ndim > 5)) {
    set_geometry(kContiguous | kNonOverlappingAndDense);
  } else {
    refresh_contiguous();
  }
}

void TensorImpl::set_sizes_and_strides(
    IntArrayRef sizes, IntArrayRef strides, std::optional<int64_t> storage_offset) {
  if (C10_UNLIKELY(!allow_tensor_metadata_change())) {
    throw_frozen("set_sizes_and_strides");
  }
  TORCH_CHECK(
      sizes.size() == strides.size(), "dimensionality of sizes (", sizes.size(),
      ") must match dimensionality of strides (", strides.size(), ")");
  sizes_and_strides_.set_sizes(sizes);
  int64_t* out = sizes_and_strides_.strides_data();
  for (size_t i = sizes.size(); i-- > 0;) {
    // A negative stride requests the row-major stride.
    out[i] = strides[i] >= 0 ? strides[i]
        : i + 1 == sizes.size()
        ? 1
        : std::max<int64_t>(sizes_and_strides_.size_at_unchecked(i + 1), 1) * out[i + 1];
  }
  refresh_numel();
  refresh_contiguous();
  if (storage_offset) {
    storage_offset_ = *storage_offset;
  }
}

void TensorImpl::refresh_numel() {
  numel_ = checked_numel(sizes());
}

void TensorImpl::refresh_contiguous() {
  const IntArrayRef sizes = this->sizes();
  const IntArrayRef strides = this->strides();
  unsigned flags = 0;
  if (numel_ == 0 || row_major(sizes, strides)) {
    flags |= kContiguous;
  }
  if (sizes.size() == 4) {
    flags |= channels_last_dense(sizes, strides) ? unsigned{kChannelsLastContiguous} : 0u;
    flags |= is_channels_last_strides_2d(sizes, strides) ? unsigned{kChannelsLastStrides} : 0u;
  } else if (sizes.size() == 5) {
    flags |= channels_last_dense(sizes, strides) ? unsigned{kChannelsLast3dContiguous} : 0u;
    flags |= is_channels_last_strides_3d(sizes, strides) ? unsigned{kChannelsLast3dStrides} : 0u;
  }
  if ((flags & (kContiguous | kChannelsLastContiguous | kChannelsLast3dContiguous)) ||
      dense_in_some_order(sizes, strides)) {
    flags |= kNonOverlappingAndDense;
  }
  set_geometry(flags);
}

void TensorImpl::empty_tensor_restride(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::Contiguous:
      set_sizes_contiguous(DimVector(sizes()));
      return;
    case MemoryFormat::ChannelsLast:
      TORCH_CHECK(dim() == 4, "required rank 4 tensor to use channels_last format");
      sizes_and_strides_.set_strides(get_channels_last_strides_2d(sizes()));
      break;
    case MemoryFormat::ChannelsLast3d:
      TORCH_CHECK(dim() == 5, "required rank 5 tensor to use channels_last_3d format");
      sizes_and_strides_.set_strides(get_channels_last_strides_3d(sizes()));
      break;
    default:
      TORCH_CHECK(false, "unsupported memory format ", format);
  }
  refresh_contiguous();
}

void TensorImpl::set_size(int64_t dim, int64_t size) {
  sizes_and_strides_.size_at_unchecked(static_cast<size_t>(dim)) = size;
  refresh_numel();
  refresh_contiguous();
}

void TensorImpl::set_stride(int64_t dim, int64_t stride) {
  sizes_and_strides_.stride_at_unchecked(static_cast<size_t>(dim)) = stride;
  refresh_contiguous();
}

void TensorImpl::resize_dim(int64_t ndim) {
  sizes_and_strides_.resize(static_cast<size_t>(ndim));
  refresh_numel();
  refresh_contiguous();
}

size_t computeStorageNbytesContiguous(IntArrayRef sizes, size_t itemsize, size_t offset) {
  uint64_t bytes = 1;
  bool overflow = false;
  for (int64_t size : sizes) {
    overflow |= size < 0 || mul_overflows(bytes, static_cast<uint64_t>(size), &bytes);
  }
  overflow |= mul_overflows(bytes, itemsize, &bytes);
  overflow |= offset != 0 && add_overflows(bytes, offset * itemsize, &bytes);
  if (C10_UNLIKELY(overflow || bytes > static_cast<uint64_t>(INT64_MAX))) {
    check_not_negative(sizes);
    TORCH_CHECK(false, "Storage size calculation overflowed with sizes=", sizes);
  }
  return bytes;
}

size_t computeStorageNbytes(
    IntArrayRef sizes, IntArrayRef strides, size_t itemsize, size_t offset) {
  TORCH_CHECK(
      sizes.size() == strides.size(), "dimensionality of sizes (", sizes.size(),
      ") must match dimensionality of strides (", strides.size(), ")");
  // One past the last element that an index can reach.
  uint64_t elements = offset + 1;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) {
      return 0;
    }
    uint64_t reach = 0;
    overflow |= mul_overflows(
        static_cast<uint64_t>(strides[i]), static_cast<uint64_t>(sizes[i] - 1), &reach);
    overflow |= add_overflows(elements, reach, &elements);
  }
  uint64_t bytes = 0;
  overflow |= mul_overflows(elements, itemsize, &bytes);
  if (C10_UNLIKELY(overflow || bytes > static_cast<uint64_t>(INT64_MAX))) {
    check_not_negative(sizes);
    TORCH_CHECK(
        false, "Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  }
  return bytes;
}

} // namespace c10
