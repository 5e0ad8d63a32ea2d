#pragma once

// The flat kernels of argmax, argmin and of max and min with positions.

#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/ExtremumOp.h>
#include <ATen/native/cpu/LaneReduce.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The extreme value and the first position that holds it; the first NaN beats every number.
template <class In, bool is_max>
struct ArgReduce {
  using Value = carry_t<In>;
  using Acc = ArgAcc<Value>;
  using Op = ExtremumOp<In, is_max>;
  using Run = LaneReduce<Op>;
  using Lane = wide_lane_t<In>;
  using Index = std::conditional_t<sizeof(Lane) == 4, int32_t, int64_t>;
  using V = Lanes<Lane>;
  using VI = Lanes<Index>;
  static constexpr int L = kLanes<Lane>;

  template <class T>
  static bool beats(T x, T best) {
    return (is_max ? x > best : x < best) || (x != x && best == best);
  }

  static void offer(Acc& acc, Value value, int64_t index) {
    if (acc.index < 0 || beats(value, acc.value)) {
      acc = {value, index};
    }
  }

  static void init(void* acc, int64_t count) {
    std::fill_n(static_cast<Acc*>(acc), count, Acc{0, -1});
  }

  // Merges `other`, which covers later positions.
  static void combine(void* acc, const void* other, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const Acc& b = static_cast<const Acc*>(other)[i];
      if (b.index >= 0) {
        offer(static_cast<Acc*>(acc)[i], b.value, b.index);
      }
    }
  }

  // The first position of `value` (or of a NaN if `value` is one), which occurs in the run.
  static int64_t find(const In* p, int64_t n, Value value) {
    const bool nan = value != value;
    const V wanted = splat<Lane>(static_cast<Lane>(value));
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
      VI hit{};
      for (int k = 0; k < 4; ++k) {
        const V x = load_lanes<Lane>(p + i + k * L);
        hit |= nan ? (VI)(x != x) : (VI)(x == wanted);
      }
      if (fold_lanes<Index>(hit, [](Index u, Index v) { return Index(u | v); }) != 0) {
        break;
      }
    }
    for (; i + 1 < n; ++i) {
      const Lane x = to_lane<Lane>(p[i]);
      if (nan ? x != x : static_cast<Value>(x) == value) {
        break;
      }
    }
    return i;
  }

  // Blocks first compute only their extreme value; just the winning block is searched for the
  // position.
  static void run(Acc& acc, const In* p, int64_t n, int64_t base) {
    constexpr int64_t kBlock = 2048;
    int64_t winner = -1;
    for (int64_t k = 0; k < n; k += kBlock) {
      const int64_t block = std::min(kBlock, n - k);
      const Value best = Run::run(Op::carry_identity(), p + k, block);
      if (acc.index < 0 || beats(best, acc.value)) {
        acc = {best, base + k};
        winner = k;
      }
    }
    if (winner >= 0) {
      acc.index += find(p + winner, std::min(kBlock, n - winner), acc.value);
    }
  }

  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step,
      int64_t base, double) {
    const In* p = static_cast<const In*>(in);
    for (int64_t c = 0; c < count; ++c, p += out_step) {
      Acc& a = static_cast<Acc*>(acc)[c];
      if (step == 1 && n >= 16) {
        run(a, p, n, base);
      } else {
        for (int64_t k = 0; k < n; ++k) {
          offer(a, static_cast<Value>(to_lane<Lane>(p[k * step])), base + k);
        }
      }
    }
  }

  static void row(Lane* best, Index* where, const In* p, int64_t count, Index r) {
    int64_t c = 0;
    for (; c + L <= count; c += L) {
      const V x = load_lanes<Lane>(p + c);
      const V a = load_lanes<Lane>(best + c);
      const VI better = (VI)(is_max ? x > a : x < a) | ((VI)(x != x) & (VI)(a == a));
      store_lanes<Lane>(best + c, better ? x : a);
      store_lanes<Index>(where + c, better ? splat<Index>(r) : load_lanes<Index>(where + c));
    }
    for (; c < count; ++c) {
      const Lane x = to_lane<Lane>(p[c]);
      if (beats(x, best[c])) {
        best[c] = x;
        where[c] = r;
      }
    }
  }

  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t base,
      double) {
    constexpr int64_t kRows = 1 << 20;
    alignas(64) Lane best[kReduceChunk];
    alignas(64) Index where[kReduceChunk];
    const In* p = static_cast<const In*>(in);
    for (int64_t first = 0; first < rows; first += kRows) {
      const int64_t block = std::min(kRows, rows - first);
      for (int64_t c = 0; c < count; ++c) {
        best[c] = to_lane<Lane>(p[c]);
        where[c] = 0;
      }
      for (int64_t r = 1; r < block; ++r) {
        row(best, where, p + r * row_step, count, static_cast<Index>(r));
      }
      for (int64_t c = 0; c < count; ++c) {
        offer(static_cast<Acc*>(acc)[c], static_cast<Value>(best[c]), base + first + where[c]);
      }
      p += block * row_step;
    }
  }

  static constexpr ReduceKernel kernel{sizeof(Acc), sizeof(In), &init, &inner, &outer, &combine};
};

template <bool is_max>
const ReduceKernel* arg_kernels(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &ArgReduce<uint8_t, is_max>::kernel;
    case c10::ScalarType::Char:
      return &ArgReduce<int8_t, is_max>::kernel;
    case c10::ScalarType::Short:
      return &ArgReduce<int16_t, is_max>::kernel;
    case c10::ScalarType::Int:
      return &ArgReduce<int32_t, is_max>::kernel;
    case c10::ScalarType::Long:
      return &ArgReduce<int64_t, is_max>::kernel;
    case c10::ScalarType::Half:
      return &ArgReduce<c10::Half, is_max>::kernel;
    case c10::ScalarType::BFloat16:
      return &ArgReduce<c10::BFloat16, is_max>::kernel;
    case c10::ScalarType::Float:
      return &ArgReduce<float, is_max>::kernel;
    case c10::ScalarType::Double:
      return &ArgReduce<double, is_max>::kernel;
    default:
      return nullptr;
  }
}

} // namespace CPU_CAPABILITY

} // namespace at::native
