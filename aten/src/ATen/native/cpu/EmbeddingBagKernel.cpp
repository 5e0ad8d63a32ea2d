#include <ATen/native/EmbeddingStub.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int kBlock = 4; // registers of one row that are kept during a walk over a bag

int64_t grain_for(int64_t count, int64_t work) {
  return std::max<int64_t>(1, at::internal::GRAIN_SIZE * count / std::max<int64_t>(1, work));
}

[[noreturn, gnu::noinline]] void refuse_row(int64_t row) {
  TORCH_CHECK(
      false, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be ", row);
}

// Checks the indices of a bag, notes their bag and returns how many are not the padding.
int64_t count_rows(const EmbeddingBagJob& job, int64_t bag) {
  int64_t count = 0;
  for (int64_t i = job.begins[bag]; i < job.begins[bag + 1]; ++i) {
    const int64_t row = job.indices[i];
    if (row < 0 || row >= job.num_weights) {
      refuse_row(row);
    }
    job.bag_of[i] = bag;
    count += row != job.padding_idx ? 1 : 0;
  }
  return count;
}

// `Count` registers of one row from column `at` on. A single register may be partial.
template <class T, int Count>
struct Columns {
  using Lane = wide_lane_t<T>;
  static constexpr int L = kLanes<Lane>;
  int64_t at, width;

  Lanes<Lane> load(const T* row, int k) const {
    if constexpr (Count > 1) {
      return load_lanes<Lane>(row + at + k * L);
    } else {
      return load_up_to<Lane>(row + at, width - at, Lane(0));
    }
  }
  void save(T* row, int k, Lanes<Lane> value) const {
    if constexpr (Count > 1) {
      save_lanes<T, Lane>(row + at + k * L, value);
    } else {
      save_up_to<T, Lane>(row + at, value, width - at);
    }
  }
};

// Rows lie anywhere in the table, so the one that follows after kAhead others is fetched early.
constexpr int64_t kAhead = 16;

template <class T>
void prefetch_row(const T* row) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t j = 0; j < kBlock * kLanes<wide_lane_t<T>>; j += kLine) {
    __builtin_prefetch(row + j);
  }
}

// Sums `Count` registers of the rows of a bag and returns how many of them are not the padding. The
// first columns also check the indices and note their bag: another loop over a short bag would take
// as long as the sum.
template <class T, int Count, bool First, bool Weighted>
C10_ALWAYS_INLINE int64_t sum_columns(const EmbeddingBagJob& job, int64_t bag, int64_t at) {
  using Lane = wide_lane_t<T>;
  const Columns<T, Count> columns{at, job.width};
  const T* table = static_cast<const T*>(job.table);
  const T* factors = static_cast<const T*>(job.factors);
  const int64_t end = job.begins[bag + 1], limit = job.begins[job.bags];
  int64_t count = 0;
  Lanes<Lane> sum[Count];
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) {
    sum[k] = Lanes<Lane>{};
  }
  for (int64_t i = job.begins[bag]; i < end; ++i) {
    const int64_t row = job.indices[i];
    if constexpr (First) {
      if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(job.num_weights)) {
        refuse_row(row);
      }
      if (job.bag_of != nullptr) {
        job.bag_of[i] = bag;
      }
    }
    if (row == job.padding_idx) {
      continue;
    }
    ++count;
    const T* from = table + row * job.width;
    if constexpr (Count > 1) {
      if (i + kAhead < limit) {
        prefetch_row<T>(table + job.indices[i + kAhead] * job.width + at);
      }
    }
    if constexpr (Weighted) {
      const auto factor = splat<Lane>(static_cast<Lane>(factors[i]));
#pragma GCC unroll 4
      for (int k = 0; k < Count; ++k) {
        sum[k] = at::vec::fma(factor, columns.load(from, k), sum[k]);
      }
    } else {
#pragma GCC unroll 4
      for (int k = 0; k < Count; ++k) {
        sum[k] += columns.load(from, k);
      }
    }
  }
  if (job.mode == BagMode::Mean && count > 1) {
    const auto divisor = splat<Lane>(static_cast<Lane>(count));
#pragma GCC unroll 4
    for (int k = 0; k < Count; ++k) {
      sum[k] /= divisor;
    }
  }
  T* out = static_cast<T*>(job.out) + bag * job.width;
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) {
    columns.save(out, k, sum[k]);
  }
  return count;
}

template <class T, bool Weighted>
void sum_bags(const EmbeddingBagJob& shared, int64_t begin, int64_t end) {
  constexpr int64_t L = kLanes<wide_lane_t<T>>;
  const EmbeddingBagJob job = shared; // which no store below can change
  for (int64_t bag = begin; bag < end; ++bag) {
    int64_t at = 0, count;
    if (job.width >= kBlock * L) {
      count = sum_columns<T, kBlock, true, Weighted>(job, bag, 0);
      at = kBlock * L;
    } else {
      count = sum_columns<T, 1, true, Weighted>(job, bag, 0);
      at = L;
    }
    for (; at + kBlock * L <= job.width; at += kBlock * L) {
      sum_columns<T, kBlock, false, Weighted>(job, bag, at);
    }
    for (; at < job.width; at += L) {
      sum_columns<T, 1, false, Weighted>(job, bag, at);
    }
    job.sizes[bag] = count;
  }
}

// Later rows replace earlier ones only if they are greater.
template <class T>
void max_columns(const EmbeddingBagJob& job, int64_t bag, int64_t at) {
  using Lane = wide_lane_t<T>;
  using Ordinal = at::vec::int_like<Lane>;
  constexpr int L = kLanes<Lane>;
  const Columns<T, 1> columns{at, job.width};
  const T* table = static_cast<const T*>(job.table);
  Lanes<Lane> best{};
  Lanes<Ordinal> best_at = Lanes<Ordinal>{} - 1;
  const int64_t begin = job.begins[bag], end = job.begins[bag + 1];
  TORCH_CHECK(
      end - begin <= std::numeric_limits<int32_t>::max(), "embedding_bag: a bag of ", end - begin,
      " rows");
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = job.indices[i];
    if (row == job.padding_idx) {
      continue;
    }
    const auto value = columns.load(table + row * job.width, 0);
    const auto better = (value > best) | (best_at < 0);
    best = better ? value : best;
    best_at = better ? Lanes<Ordinal>{} + static_cast<Ordinal>(i - begin) : best_at;
  }
  columns.save(static_cast<T*>(job.out) + bag * job.width, 0, best);
  const int64_t lanes = std::min<int64_t>(L, job.width - at);
  for (int64_t l = 0; l < lanes; ++l) {
    const auto ordinal = static_cast<int64_t>(best_at[l]);
    job.rows[bag * job.width + at + l] = ordinal < 0 ? -1 : job.indices[begin + ordinal];
  }
}

template <class T>
void over_bags(const EmbeddingBagJob& job) {
  constexpr int64_t L = kLanes<wide_lane_t<T>>;
  const int64_t rows = job.bags == 0 ? 0 : job.begins[job.bags];
  const int64_t work = (rows + job.bags) * (job.width + 8);
  if (job.bag_of != nullptr) {
    std::fill(job.bag_of + rows, job.bag_of + job.count, job.bags); // in no bag
  }
  at::parallel_for(0, job.bags, grain_for(job.bags, work), [&](int64_t begin, int64_t end) {
    if (job.mode != BagMode::Max) {
      return job.factors == nullptr ? sum_bags<T, false>(job, begin, end)
                                    : sum_bags<T, true>(job, begin, end);
    }
    for (int64_t bag = begin; bag < end; ++bag) {
      job.sizes[bag] = count_rows(job, bag);
      for (int64_t at = 0; at < job.width; at += L) {
        max_columns<T>(job, bag, at);
      }
    }
  });
}

void embedding_bag_kernel(c10::ScalarType dtype, const EmbeddingBagJob& job) {
  for_floating(dtype, "embedding_bag", [&]<typename T>(T) { over_bags<T>(job); });
}

// Adds up the lanes by halves, in registers: a dot product of a short row spends most of its time
// here.
template <class Lane, int N>
Lane sum_of_lanes(at::vec::Lanes<Lane, N> v) {
  if constexpr (N == 2) {
    return v[0] + v[1];
  } else {
    constexpr int kHalf = N / 2;
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      const at::vec::Lanes<Lane, kHalf> low = __builtin_shufflevector(v, v, i...);
      const at::vec::Lanes<Lane, kHalf> high = __builtin_shufflevector(v, v, (i + kHalf)...);
      return sum_of_lanes<Lane, kHalf>(low + high);
    }
    (std::make_integer_sequence<int, kHalf>{});
  }
}

template <class T>
wide_lane_t<T> dot(const T* a, const T* b, int64_t width) {
  using Lane = wide_lane_t<T>;
  constexpr int64_t L = kLanes<Lane>;
  Lanes<Lane> sum[kBlock] = {};
  int64_t at = 0;
  for (; at + kBlock * L <= width; at += kBlock * L) {
    for (int k = 0; k < kBlock; ++k) {
      sum[k] =
          at::vec::fma(load_lanes<Lane>(a + at + k * L), load_lanes<Lane>(b + at + k * L), sum[k]);
    }
  }
  for (; at < width; at += L) {
    const Columns<T, 1> columns{at, width};
    sum[0] += columns.load(a, 0) * columns.load(b, 0);
  }
  return sum_of_lanes<Lane, kLanes<Lane>>((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

template <class T>
void multiply_rows(const BagFactorJob& job) {
  const T* grad = static_cast<const T*>(job.grad);
  const T* table = static_cast<const T*>(job.table);
  T* out = static_cast<T*>(job.out);
  const int64_t work = job.count * job.width;
  at::parallel_for(0, job.count, grain_for(job.count, work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = job.indices[i], row = job.row_of[i];
      if (index == job.padding_idx || row >= job.bags) {
        out[i] = T(0);
        continue;
      }
      TORCH_CHECK_INDEX(
          index >= 0 && index < job.num_weights, "embedding_bag: index out of range: ", index);
      out[i] = static_cast<T>(dot<T>(grad + row * job.width, table + index * job.width, job.width));
    }
  });
}

void bag_factor_kernel(c10::ScalarType dtype, const BagFactorJob& job) {
  for_floating(dtype, "embedding_bag", [&]<typename T>(T) { multiply_rows<T>(job); });
}

} // namespace

REGISTER_DISPATCH(embedding_bag_stub, &embedding_bag_kernel)
REGISTER_DISPATCH(bag_factor_stub, &bag_factor_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
