#include <ATen/native/IndexedLoop.h>

#include <ATen/native/ScalarBytes.h>

#include <c10/util/Exception.h>

#include <utility>

namespace at::native {

DEFINE_DISPATCH(indexed_stub);

void take_indexed(c10::DeviceType device, IndexedLoop& loop, c10::ScalarType dtype) {
  if (device != c10::DeviceType::CPU) {
    indexed_stub(device, loop, IndexedAction::Take, dtype, 1);
    return;
  }
  dispatch_itemsize(c10::elementSize(dtype), [&](auto element) {
    run_indexed<decltype(element)>(loop, TakeElements<decltype(element)>{});
  });
}

void put_indexed(c10::DeviceType device, IndexedLoop& loop, c10::ScalarType dtype) {
  if (device != c10::DeviceType::CPU) {
    indexed_stub(device, loop, IndexedAction::Put, dtype, 1);
    return;
  }
  dispatch_itemsize(c10::elementSize(dtype), [&](auto element) {
    run_indexed<decltype(element)>(loop, PutElements<decltype(element)>{});
  });
}

void IndexedLoop::swap_with_next(size_t dim) {
  for (DimVector* values : {&sizes, &plain_strides, &index_strides, &indexed_strides}) {
    std::swap((*values)[dim], (*values)[dim + 1]);
  }
}

void IndexedLoop::coalesce() {
  // This keeps the order in which an element is written, since only the index repeats elements.
  for (size_t dim = 0; dim + 1 < sizes.size(); ++dim) {
    if (belongs_inside_next(dim)) {
      swap_with_next(dim);
    }
  }
  size_t kept = 0;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 1) {
      continue;
    }
    const auto joins = [&](const DimVector& strides) {
      return strides[kept - 1] == strides[dim] * sizes[dim];
    };
    if (kept > 0 && joins(plain_strides) && joins(index_strides) && joins(indexed_strides)) {
      sizes[kept - 1] *= sizes[dim];
      --kept;
    } else {
      sizes[kept] = sizes[dim];
    }
    plain_strides[kept] = plain_strides[dim];
    index_strides[kept] = index_strides[dim];
    indexed_strides[kept] = indexed_strides[dim];
    ++kept;
  }
  for (DimVector* values : {&sizes, &plain_strides, &index_strides, &indexed_strides}) {
    values->resize(kept);
  }
  if (kept == 0) {
    add_dim(1, 0, 0, 0);
  }
}

int64_t IndexedLoop::split_dim(bool writes_indexed) const {
  // The first outer dimension that is long enough. Threads that share rows invalidate each other's
  // cache lines, since the processor prefetches beyond the end of a part.
  const int64_t enough = 4 * at::get_num_threads();
  int64_t best = -1;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (writes_indexed && indexed_strides[dim] == 0) {
      continue;
    }
    if (sizes[dim] >= enough) {
      return static_cast<int64_t>(dim);
    }
    if (sizes[dim] > 1 && (best < 0 || sizes[dim] > sizes[best])) {
      best = static_cast<int64_t>(dim);
    }
  }
  return best;
}

int64_t IndexedLoop::resolve_outside(int64_t position) const {
  switch (policy) {
    case OutOfBounds::Wrap:
      TORCH_CHECK_INDEX(
          position < 0 && position >= -bound, "index ", position,
          " is out of bounds for dimension ", dim, " with size ", bound);
      return position + bound;
    case OutOfBounds::Select:
      TORCH_CHECK_INDEX(false, "index out of range in self");
    default:
      TORCH_CHECK(
          false, "index ", position, " is out of bounds for dimension ", dim, " with size ", bound);
  }
}

} // namespace at::native
