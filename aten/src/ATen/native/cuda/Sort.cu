// sort and topk.

#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/RadixSort.cuh>
#include <ATen/native/cuda/SortKeyOf.cuh>
#include <c10/core/WrapDimMinimal.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAShared.h>

#include <ATen/ops/sort_meta.h>
#include <ATen/ops/sort_native.h>
#include <ATen/ops/topk_meta.h>
#include <ATen/ops/topk_native.h>

namespace at::native {
namespace {

// An element of a row by its key. No two are equal, so every order of comparisons gives the same,
// stable, result.
struct Entry {
  uint64_t key;
  int64_t index;

  C10_DEVICE bool before(const Entry& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

constexpr int64_t kTile = 1024; // entries that a block sorts in shared memory

// Sorts tiles of `tile` entries, a power of two, with Batcher's bitonic network (1968). Positions
// past the end of a row hold entries that come last.
__global__ void sort_tiles_kernel(Entry* entries, int64_t n, int64_t tile) {
  C10_DYNAMIC_SHARED(Entry, shared);
  const int64_t tiles = (n + tile - 1) / tile;
  const int64_t row = blockIdx.x / tiles;
  const int64_t start = blockIdx.x % tiles * tile;
  Entry* data = entries + row * n + start;
  const int64_t count = n - start < tile ? n - start : tile;
  for (int64_t i = threadIdx.x; i < tile; i += blockDim.x) {
    Entry last;
    last.key = ~uint64_t{0};
    last.index = INT64_MAX - tile + i;
    shared[i] = i < count ? data[i] : last;
  }
  __syncthreads();
  for (int64_t size = 2; size <= tile; size *= 2) {
    for (int64_t step = size / 2; step > 0; step /= 2) {
      for (int64_t pair = threadIdx.x; pair < tile / 2; pair += blockDim.x) {
        const int64_t low = pair / step * 2 * step + pair % step;
        const bool ascending = (low & size) == 0;
        const Entry a = shared[low];
        const Entry b = shared[low + step];
        if (b.before(a) == ascending) {
          shared[low] = b;
          shared[low + step] = a;
        }
      }
      __syncthreads();
    }
  }
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    data[i] = shared[i];
  }
}

// Merges neighboring runs of `width` positions, of which only the first `kept` entries matter: an
// entry's place is its rank in its own run plus its rank in the other.
void merge_runs(
    const Entry* from, Entry* to, int64_t rows, int64_t n, int64_t width, int64_t kept) {
  for_each_index(rows * n, [=] C10_DEVICE(int64_t at) {
    const int64_t row = at / n;
    const int64_t i = at % n;
    const int64_t run = i / width;
    const int64_t rank = i % width;
    if (rank >= kept) return;
    const int64_t other = (run ^ 1) * width;
    const Entry entry = from[at];
    int64_t low = 0;
    if (other < n) {
      int64_t high = n - other < width ? n - other : width;
      high = high < kept ? high : kept;
      const Entry* sibling = from + row * n + other;
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (sibling[middle].before(entry)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
    }
    const int64_t place = rank + low;
    if (place < kept) to[row * n + run / 2 * 2 * width + place] = entry;
  });
}

// A dimension of an input and of two outputs that differ from it only in the sorted dimension.
struct SortLayout {
  DimOffsets<3> rows;
  int64_t count = 1;
  int64_t n = 1;
  int64_t in_step = 1, values_step = 1, indices_step = 1;

  SortLayout(const Tensor& in, const Tensor& values, const Tensor& indices, int64_t dim) {
    for (int64_t d = in.dim() - 1; d >= 0; --d) {
      if (d == dim) {
        n = in.size(d);
        in_step = in.stride(d);
        values_step = values.stride(d);
        indices_step = indices.stride(d);
      } else if (in.size(d) != 1) {
        rows.add(in.size(d), {in.stride(d), values.stride(d), indices.stride(d)});
        count *= in.size(d);
      }
    }
  }
};

template <typename Key>
C10_DEVICE typename Key::Storage ordered_key(typename Key::Storage bits, bool descending) {
  using Bits = typename Key::Storage;
  Bits lossy = 0;
  const Bits key = Key::key(bits, lossy);
  return descending ? static_cast<Bits>(~key) : key;
}

template <typename Key>
void make_entries(const SortLayout& layout, const void* in, bool descending, Entry* entries) {
  using Bits = typename Key::Storage;
  const auto* from = static_cast<const Bits*>(in);
  for_each_index(layout.count * layout.n, [=] C10_DEVICE(int64_t at) {
    const int64_t k = at % layout.n;
    const int64_t offset = layout.rows(at / layout.n)[0] + k * layout.in_step;
    Entry entry;
    entry.key = ordered_key<Key>(from[offset], descending);
    entry.index = k;
    entries[at] = entry;
  });
}

bool make_entries(
    c10::ScalarType dtype, const SortLayout& layout, const void* in, bool descending,
    Entry* entries) {
  return with_sort_key(
      dtype, [&](auto key) { make_entries<decltype(key)>(layout, in, descending, entries); });
}

// Stores the first `kept` elements of each sorted row. Values come from the input, because a key
// does not tell one NaN from another, nor the two zeros.
template <typename T, typename IndexOf>
void store_sorted(
    const SortLayout& layout, const IndexOf& index_of, int64_t kept, const Tensor& in,
    const Tensor& values, const Tensor& indices) {
  const auto* from = static_cast<const T*>(in.const_data_ptr());
  auto* to = static_cast<T*>(values.mutable_data_ptr());
  auto* to_indices = indices.mutable_data_ptr<int64_t>();
  for_each_index(layout.count * kept, [=] C10_DEVICE(int64_t at) {
    const int64_t row = at / kept;
    const int64_t k = at % kept;
    const auto offsets = layout.rows(row);
    const int64_t index = index_of(row * layout.n + k);
    to[offsets[1] + k * layout.values_step] = from[offsets[0] + index * layout.in_step];
    to_indices[offsets[2] + k * layout.indices_step] = index;
  });
}

struct IndexOfEntry {
  const Entry* entries;
  C10_DEVICE int64_t operator()(int64_t at) const { return entries[at].index; }
};
struct IndexOfPosition {
  const uint32_t* positions;
  C10_DEVICE int64_t operator()(int64_t at) const { return positions[at]; }
};

// By the network of a block, and merging.
void merge_sort_rows(
    const char* name, const SortLayout& layout, const Tensor& in, bool descending, int64_t kept,
    const Tensor& values, const Tensor& indices) {
  const auto total = static_cast<size_t>(layout.count * layout.n);
  auto* allocator = c10::cuda::CUDACachingAllocator::get();
  const c10::DataPtr first = allocator->allocate(total * sizeof(Entry));
  auto* entries = static_cast<Entry*>(first.get());
  if (!make_entries(in.scalar_type(), layout, in.const_data_ptr(), descending, entries)) {
    unsupported_dtype(name, in.scalar_type());
  }
  const int64_t tile = std::min(std::max<int64_t>(ceil_pow2(layout.n), 2), kTile);
  const auto threads = static_cast<unsigned>(std::max<int64_t>(32, tile / 2));
  launch_on_current_stream(
      sort_tiles_kernel, static_cast<unsigned>(layout.count * ceil_div(layout.n, tile)), threads,
      static_cast<size_t>(tile) * sizeof(Entry), entries, layout.n, tile);
  c10::DataPtr second;
  if (layout.n > tile) {
    second = allocator->allocate(total * sizeof(Entry));
  }
  auto* other = static_cast<Entry*>(second.get());
  for (int64_t width = tile; width < layout.n; width *= 2) {
    merge_runs(entries, other, layout.count, layout.n, width, kept);
    std::swap(entries, other);
  }
  dispatch_itemsize(in.itemsize(), [&](auto element) {
    store_sorted<decltype(element)>(layout, IndexOfEntry{entries}, kept, in, values, indices);
  });
}

template <typename Key>
radix::Buffer<uint32_t> sorted_positions(
    const SortLayout& layout, const void* in, bool descending) {
  using Bits = typename Key::Storage;
  radix::Buffer<Bits> keys(layout.count * layout.n);
  const auto* from = static_cast<const Bits*>(in);
  Bits* to = keys.data();
  for_each_index(layout.count * layout.n, [=] C10_DEVICE(int64_t at) {
    const int64_t offset = layout.rows(at / layout.n)[0] + at % layout.n * layout.in_step;
    to[at] = ordered_key<Key>(from[offset], descending);
  });
  return radix::sorted_positions(keys, layout.count, layout.n);
}

void radix_sort_rows(
    const char* name, const SortLayout& layout, const Tensor& in, bool descending,
    const Tensor& values, const Tensor& indices) {
  const bool known = with_sort_key(in.scalar_type(), [&](auto key) {
    using Key = decltype(key);
    const auto positions = sorted_positions<Key>(layout, in.const_data_ptr(), descending);
    store_sorted<typename Key::Storage>(
        layout, IndexOfPosition{positions.data()}, layout.n, in, values, indices);
  });
  if (!known) {
    unsupported_dtype(name, in.scalar_type());
  }
}

// The first `kept` elements of each sorted row of `in`, which is not empty. Merging keeps only what
// is wanted, so it also serves topk.
void sort_rows(
    const char* name, const Tensor& in, int64_t dim, bool descending, int64_t kept,
    const Tensor& values, const Tensor& indices) {
  const SortLayout layout(in, values, indices, dim);
  if (layout.n > kTile && layout.n <= UINT32_MAX && kept == layout.n) {
    radix_sort_rows(name, layout, in, descending, values, indices);
  } else {
    merge_sort_rows(name, layout, in, descending, kept, values, indices);
  }
}

} // namespace

TORCH_IMPL_FUNC(sort_stable_out_cuda)
(const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending, const Tensor& values,
 const Tensor& indices) {
  if (self.numel() == 0) {
    return;
  }
  const int64_t at = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t n = self.dim() == 0 ? 1 : self.size(at);
  sort_rows("sort", self, at, descending, n, values, indices);
}

TORCH_IMPL_FUNC(topk_out_cuda)
(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, const Tensor& values,
 const Tensor& indices) {
  TORCH_CHECK(!self.is_complex(), " topk does not support complex dtypes on CPU");
  if (c10::isStorageType(self.scalar_type())) {
    unsupported_dtype("topk_out_cuda", self.scalar_type());
  }
  if (values.numel() == 0) {
    return;
  }
  const int64_t kept = self.dim() == 0 ? 1 : k;
  sort_rows(
      "topk_out_cuda", self, c10::maybe_wrap_dim(dim, self.dim()), largest, kept, values, indices);
}

} // namespace at::native
