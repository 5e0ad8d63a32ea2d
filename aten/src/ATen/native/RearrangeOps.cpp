// flip, roll, repeat and broadcast_tensors.

#include <ATen/native/FlipKernel.h>
#include <ATen/native/MakeView.h>
#include <ATen/native/ScalarBytes.h>

#include <ATen/ExpandUtils.h>
#include <ATen/Parallel.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/broadcast_tensors_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/flip_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/repeat_native.h>
#include <ATen/ops/roll_native.h>
#include <ATen/ops/view.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace at::native {

DEFINE_DISPATCH(reversed_copy_stub);

namespace {

// Copies in[...] to out[...] over the given sizes, with byte strides of either sign.
struct StridedPair {
  DimVector sizes;
  DimVector out_strides;
  DimVector in_strides;
  char* out;
  const char* in;

  // Puts the output's innermost dimension last and merges dimensions that can be traversed with one
  // stride.
  void simplify();
};

void StridedPair::simplify() {
  DimVector order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](int64_t a, int64_t b) {
    return out_strides[a] > out_strides[b];
  });
  StridedPair sorted{{}, {}, {}, out, in};
  for (const int64_t dim : order) {
    if (sizes[dim] == 1) {
      continue;
    }
    if (!sorted.sizes.empty() && sorted.out_strides.back() == out_strides[dim] * sizes[dim] &&
        sorted.in_strides.back() == in_strides[dim] * sizes[dim]) {
      sorted.sizes.back() *= sizes[dim];
      sorted.out_strides.back() = out_strides[dim];
      sorted.in_strides.back() = in_strides[dim];
    } else {
      sorted.sizes.push_back(sizes[dim]);
      sorted.out_strides.push_back(out_strides[dim]);
      sorted.in_strides.push_back(in_strides[dim]);
    }
  }
  if (sorted.sizes.empty()) {
    sorted.sizes.push_back(1);
    sorted.out_strides.push_back(0);
    sorted.in_strides.push_back(0);
  }
  *this = std::move(sorted);
}

void copy_strided(const StridedPair& pair, size_t itemsize) {
  const auto outer = static_cast<int64_t>(pair.sizes.size()) - 1;
  DimVector counter(outer, 0);
  char* out = pair.out;
  const char* in = pair.in;
  while (true) {
    reversed_copy_stub.on_host(
        out, in, pair.sizes[outer], pair.out_strides[outer], pair.in_strides[outer], itemsize);
    int64_t dim = outer - 1;
    for (; dim >= 0; --dim) {
      out += pair.out_strides[dim];
      in += pair.in_strides[dim];
      if (++counter[dim] < pair.sizes[dim]) {
        break;
      }
      counter[dim] = 0;
      out -= pair.out_strides[dim] * pair.sizes[dim];
      in -= pair.in_strides[dim] * pair.sizes[dim];
    }
    if (dim < 0) {
      return;
    }
  }
}

void copy_strided_parallel(StridedPair pair, size_t itemsize) {
  pair.simplify();
  const auto widest = std::max_element(pair.sizes.begin(), pair.sizes.end()) - pair.sizes.begin();
  int64_t total = 1;
  for (const int64_t size : pair.sizes) {
    total *= size;
  }
  const int64_t length = pair.sizes[widest];
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE * length / total);
  at::parallel_for(0, length, grain, [&](int64_t begin, int64_t end) {
    StridedPair part = pair;
    part.sizes[widest] = end - begin;
    part.out += begin * pair.out_strides[widest];
    part.in += begin * pair.in_strides[widest];
    copy_strided(part, itemsize);
  });
}

} // namespace

Tensor flip(const Tensor& self, IntArrayRef dims) {
  const int64_t ndim = self.dim();
  const auto flipped = dim_list_to_bitset(dims, static_cast<size_t>(ndim));
  check_not_storage_dtype(self.scalar_type(), "flip_cpu");
  Tensor result = at::empty_like(self);
  if (self.numel() == 0 || self.is_meta()) {
    return result;
  }
  const auto itemsize = static_cast<int64_t>(self.itemsize());
  StridedPair pair{
      {},
      {},
      {},
      static_cast<char*>(result.mutable_data_ptr()),
      static_cast<const char*>(self.const_data_ptr())};
  for (int64_t dim = 0; dim < ndim; ++dim) {
    const int64_t size = self.sizes()[dim];
    const int64_t stride = self.strides()[dim] * itemsize;
    pair.sizes.push_back(size);
    pair.out_strides.push_back(result.strides()[dim] * itemsize);
    pair.in_strides.push_back(flipped[dim] ? -stride : stride);
    pair.in += flipped[dim] ? (size - 1) * stride : 0;
  }
  copy_strided_parallel(std::move(pair), itemsize);
  return result;
}

namespace {

Tensor roll_dim(const Tensor& self, int64_t shift, int64_t dim) {
  dim = maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(dim);
  const int64_t start = ((size - shift) % size + size) % size;
  if (start == 0) {
    return at::clone(self, MemoryFormat::Contiguous);
  }
  const std::array<Tensor, 2> parts = {
      at::narrow(self, dim, start, size - start), at::narrow(self, dim, 0, start)};
  return at::cat(parts, dim);
}

} // namespace

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) {
    if (self.numel() == 0) {
      return at::clone(self);
    }
    const Tensor flat = at::methods::view(self.contiguous(), {-1});
    return at::methods::view(roll_dim(flat, shifts[0], 0), self.sizes());
  }
  TORCH_CHECK(
      shifts.size() == dims.size(), "shifts and dimensions must align. shifts: ", shifts.size(),
      ", dims:", dims.size());
  if (self.numel() == 0) return at::clone(self); // whatever the dimensions are
  Tensor result = self;
  for (size_t i = 0; i < dims.size(); ++i) {
    result = roll_dim(result, shifts[i], maybe_wrap_dim(dims[i], self.dim()));
  }
  return result;
}

Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  TORCH_CHECK(
      static_cast<int64_t>(repeats.size()) >= self.dim(),
      "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  const int64_t added = static_cast<int64_t>(repeats.size()) - self.dim();
  DimVector sizes;
  for (size_t i = 0; i < repeats.size(); ++i) {
    const int64_t dim = static_cast<int64_t>(i) - added;
    sizes.push_back(repeats[i] * (dim < 0 ? 1 : self.sizes()[dim]));
  }
  Tensor result = at::empty(sizes, self.options());
  if (result.numel() == 0 || self.is_meta()) {
    return result;
  }
  // Every dimension of the result repeats one of self. Seen as two dimensions, the copy is an
  // ordinary broadcast.
  DimVector split_sizes;
  DimVector from_strides;
  DimVector to_strides;
  const auto push = [&](int64_t size, int64_t from, int64_t to) {
    split_sizes.push_back(size);
    from_strides.push_back(from);
    to_strides.push_back(to);
  };
  for (size_t i = 0; i < repeats.size(); ++i) {
    const int64_t dim = static_cast<int64_t>(i) - added;
    const int64_t size = dim < 0 ? 1 : self.sizes()[dim];
    const int64_t stride = result.strides()[i];
    push(repeats[i], 0, stride * size);
    push(size, dim < 0 ? 0 : self.strides()[dim], stride);
  }
  at::methods::copy_(
      make_view(result, split_sizes, to_strides, 0),
      make_view(self, split_sizes, from_strides, self.storage_offset()));
  return result;
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  return at::expand_outplace(tensors);
}

} // namespace at::native
