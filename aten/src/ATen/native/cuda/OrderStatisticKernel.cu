// kthvalue, median, nanmedian and mode; and the order of a matrix's rows, for unique_dim.

#include <ATen/core/Tensor.h>
#include <ATen/native/OrderStatistics.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/RowOrder.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/SortKeyOf.cuh>
#include <ATen/native/cuda/block_reduce.cuh>
#include <c10/cuda/CUDAShared.h>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/to.h>

#include <ATen/Dispatch.h>

#include <utility>

namespace at::native {
namespace {

constexpr int kThreads = 256; // one for each value of a digit
constexpr int kWarps = kThreads / kWarpSize;

struct Sum {
  C10_DEVICE int64_t operator()(int64_t a, int64_t b) const { return a + b; }
};

template <typename Key>
struct IsNan {
  C10_DEVICE static bool of(typename Key::Storage) { return false; }
};
template <typename Bits, Bits infinity>
struct IsNan<FloatKey<Bits, infinity>> {
  C10_DEVICE static bool of(Bits key) { return key == static_cast<Bits>(~Bits(0)); }
};

template <typename Key>
C10_DEVICE typename Key::Storage key_of(typename Key::Storage bits) {
  typename Key::Storage lossy = 0;
  return Key::key(bits, lossy);
}

// What the threads of a block share while they narrow down one element of a row.
struct Choice {
  unsigned long long prefix;
  int64_t place; // among the elements that have the prefix
};

// The place in sorted order of the element that a median chooses; `place` for kthvalue.
template <typename Key>
C10_DEVICE int64_t
wanted_place(OrderStatistic which, int64_t place, const typename Key::Storage* row, int64_t n) {
  if (which == OrderStatistic::Kth) return place;
  C10_SHARED(int64_t, warps, kWarps);
  int64_t nans = 0;
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    nans += IsNan<Key>::of(key_of<Key>(row[i]));
  }
  nans = block_all_reduce_x(nans, Sum(), warps);
  const bool first_nan = nans != 0 && (which == OrderStatistic::Median || nans == n);
  return first_nan ? n - nans : (n - nans - 1) / 2;
}

// Radix selection: of the elements that have the digits found so far, each thread counts those of
// one next digit. Of equal elements, the place decides by position. One block for each row.
template <typename Key>
__global__ void __launch_bounds__(kThreads) select_kernel(
    OrderStatistic which, int64_t place, const typename Key::Storage* rows, int64_t n,
    typename Key::Storage* values, int64_t* indices) {
  using Bits = typename Key::Storage;
  C10_SHARED(unsigned int, counts, kThreads);
  C10_SHARED(int64_t, warps, kWarps);
  C10_SHARED(Choice, choice, 1);
  const Bits* row = rows + static_cast<int64_t>(blockIdx.x) * n;
  place = wanted_place<Key>(which, place, row, n);
  Bits prefix = 0, mask = 0;
  for (int shift = static_cast<int>(sizeof(Bits)) * 8 - 8; shift >= 0; shift -= 8) {
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += kThreads) {
      const Bits key = key_of<Key>(row[i]);
      if ((key & mask) == prefix) {
        atomicAdd(counts + static_cast<unsigned>((key >> shift) & Bits(255)), 1u);
      }
    }
    __syncthreads();
    const int64_t mine = counts[threadIdx.x];
    const int64_t through = block_inclusive_scan(mine, Sum(), warps);
    if (through - mine <= place && place < through) {
      choice[0].prefix = prefix | static_cast<Bits>(static_cast<Bits>(threadIdx.x) << shift);
      choice[0].place = place - (through - mine);
    }
    __syncthreads();
    prefix = static_cast<Bits>(choice[0].prefix);
    place = choice[0].place;
    mask = static_cast<Bits>(mask | static_cast<Bits>(Bits(255) << shift));
    __syncthreads();
  }
  C10_SHARED(int64_t, found, 1);
  for (int64_t start = 0, before = 0; before <= place; start += kThreads) {
    const int64_t i = start + threadIdx.x;
    const bool equal = i < n && key_of<Key>(row[i]) == prefix;
    const int64_t rank = before + block_inclusive_scan<int64_t>(equal, Sum(), warps);
    if (equal && rank == place + 1) {
      values[blockIdx.x] = row[i];
      indices[blockIdx.x] = i;
    }
    if (threadIdx.x == kThreads - 1) found[0] = rank;
    __syncthreads();
    before = found[0];
    __syncthreads();
  }
}

// ---- mode

struct Run {
  int64_t length, start;
};
struct LongerRun {
  C10_DEVICE Run operator()(Run a, Run b) const {
    return a.length > b.length || (a.length == b.length && a.start < b.start) ? a : b;
  }
};

// The longest run in each sorted row. Only the first element of a run looks for its end.
template <typename Key>
__global__ void __launch_bounds__(kThreads) mode_kernel(
    const typename Key::Storage* sorted, const int64_t* order, int64_t n,
    typename Key::Storage* values, int64_t* indices) {
  C10_SHARED(Run, warps, kWarps);
  const auto* row = sorted + static_cast<int64_t>(blockIdx.x) * n;
  Run best = {0, n};
  for (int64_t i = threadIdx.x; i < n; i += kThreads) {
    const auto key = key_of<Key>(row[i]);
    if (i > 0 && key_of<Key>(row[i - 1]) == key) continue;
    int64_t low = i + 1, high = n;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (key_of<Key>(row[middle]) == key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    best = LongerRun()(best, Run{low - i, i});
  }
  best = block_reduce_x(best, LongerRun(), warps);
  if (threadIdx.x == 0) {
    const int64_t last = best.start + best.length - 1;
    values[blockIdx.x] = row[last];
    indices[blockIdx.x] = order[static_cast<int64_t>(blockIdx.x) * n + last];
  }
}

void order_statistic_on_cuda(
    OrderStatistic which, int64_t k, const Tensor& rows, const Tensor& values,
    const Tensor& indices) {
  const int64_t count = values.numel(), n = rows.size(-1);
  if (count == 0) {
    return;
  }
  Tensor data = rows, order;
  if (which == OrderStatistic::Mode) {
    std::tie(data, order) = at::sort(rows, /*stable=*/true, -1, false);
  }
  const bool known = with_sort_key(rows.scalar_type(), [&](auto key) {
    using Key = decltype(key);
    using Bits = typename Key::Storage;
    const auto* in = static_cast<const Bits*>(data.const_data_ptr());
    auto* out = static_cast<Bits*>(values.mutable_data_ptr());
    auto* index = indices.mutable_data_ptr<int64_t>();
    const auto blocks = static_cast<unsigned>(count);
    if (which == OrderStatistic::Mode) {
      launch_on_current_stream(
          mode_kernel<Key>, blocks, kThreads, 0, in, order.const_data_ptr<int64_t>(), n, out,
          index);
    } else {
      launch_on_current_stream(
          select_kernel<Key>, blocks, kThreads, 0, which, k, in, n, out, index);
    }
  });
  if (!known) {
    unsupported_dtype("order_statistic_cuda", rows.scalar_type());
  }
}

// ---- the order of rows

// Merges runs of `width` sorted rows: the place of each is its rank in its own run plus its rank in
// the other. Equal rows keep their order.
template <typename T>
void merge_row_runs(
    const T* matrix, int64_t columns, const int64_t* from, int64_t* to, int64_t n, int64_t width) {
  for_each_index(n, [=] C10_DEVICE(int64_t at) {
    const int64_t run = at / width, start = (run ^ 1) * width;
    const T* mine = matrix + from[at] * columns;
    const bool second = (run & 1) != 0;
    int64_t low = start < n ? start : n;
    int64_t high = start + width < n ? start + width : n;
    const int64_t first = low;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const T* other = matrix + from[middle] * columns;
      int order = 0; // -1 if the other row comes first
      for (int64_t c = 0; c < columns && order == 0; ++c) {
        order = other[c] < mine[c] ? -1 : mine[c] < other[c] ? 1 : 0;
      }
      if (order < 0 || (order == 0 && second)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    to[run / 2 * 2 * width + at % width + (low - first)] = from[at];
  });
}

void order_rows_on_cuda(const Tensor& matrix, const Tensor& order) {
  const int64_t n = matrix.size(0), columns = matrix.size(1);
  const Tensor wide =
      at::methods::to(matrix, matrix.is_floating_point() ? kDouble : kLong).contiguous();
  Tensor from = order, to = at::empty_like(order);
  for (int64_t width = 1; width < n; width *= 2) {
    const auto* in = from.const_data_ptr<int64_t>();
    auto* out = to.mutable_data_ptr<int64_t>();
    if (matrix.is_floating_point()) {
      merge_row_runs(wide.const_data_ptr<double>(), columns, in, out, n, width);
    } else {
      merge_row_runs(wide.const_data_ptr<int64_t>(), columns, in, out, n, width);
    }
    std::swap(from, to);
  }
  if (!from.is_same(order)) {
    at::methods::copy_(order, from);
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(order_statistic_stub, &order_statistic_on_cuda)
REGISTER_CUDA_DISPATCH(row_order_stub, &order_rows_on_cuda)

} // namespace at::native
