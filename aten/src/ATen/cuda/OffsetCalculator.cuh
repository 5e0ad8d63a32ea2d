#pragma once

#include <ATen/TensorIterator.h>
#include <ATen/cuda/IntegerDivider.cuh>

#include <cstdint>
#include <cstdlib>

namespace at::cuda {

// Most iterations have few dimensions left once adjacent ones are merged.
constexpr int kMaxLoopDims = 12;

template <int kOperands>
struct Offsets {
  uint32_t bytes[kOperands]; // strides may be negative, so this is a number with a sign

  C10_HOST_DEVICE int32_t operator[](int arg) const { return static_cast<int32_t>(bytes[arg]); }
};

// The offset of an element in each operand, from its position in the order of iteration.
template <int kOperands>
class OffsetCalculator {
 public:
  explicit OffsetCalculator(const TensorIteratorBase& iter) : dims_(iter.ndim()) {
    TORCH_INTERNAL_ASSERT(dims_ <= kMaxLoopDims && iter.ntensors() == kOperands);
    for (int dim = 0; dim < dims_; ++dim) {
      sizes_[dim] = IntDivider(static_cast<uint32_t>(iter.shape()[dim]));
      for (int arg = 0; arg < kOperands; ++arg) {
        strides_[dim][arg] = static_cast<uint32_t>(iter.strides(arg)[dim]);
      }
    }
  }

  C10_HOST_DEVICE Offsets<kOperands> operator()(uint32_t position) const {
    Offsets<kOperands> offsets{};
#pragma unroll
    for (int dim = 0; dim < kMaxLoopDims; ++dim) {
      if (dim == dims_) {
        break;
      }
      const IntDivider::Result split = sizes_[dim].divmod(position);
      position = split.quotient;
#pragma unroll
      for (int arg = 0; arg < kOperands; ++arg) {
        offsets.bytes[arg] += split.remainder * strides_[dim][arg];
      }
    }
    return offsets;
  }

 private:
  int dims_;
  IntDivider sizes_[kMaxLoopDims];
  uint32_t strides_[kMaxLoopDims][kOperands];
};

// Calls `loop` on parts of the iteration whose positions and offsets fit 31 bits.
template <typename Loop>
void for_each_part(TensorIteratorBase& iter, const Loop& loop) {
  constexpr int64_t kLimit = INT32_MAX;
  bool fits = iter.numel() <= kLimit && iter.ndim() <= kMaxLoopDims;
  for (int arg = 0; fits && arg < iter.ntensors(); ++arg) {
    int64_t extent = 0;
    for (int dim = 0; dim < iter.ndim(); ++dim) {
      extent += (iter.shape()[dim] - 1) * std::abs(iter.strides(arg)[dim]);
    }
    fits = fits && extent <= kLimit;
  }
  if (fits) {
    loop(iter);
    return;
  }
  const int dim = iter.ndim() > kMaxLoopDims ? iter.ndim() - 1 : iter.get_dim_to_split();
  const auto first = iter.split(dim);
  for_each_part(*first, loop);
  for_each_part(iter, loop);
}

} // namespace at::cuda
