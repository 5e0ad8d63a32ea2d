#pragma once

// How a reduction is laid out over blocks and threads. Plain arithmetic, so that tests reach cases
// that need more memory than they have.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace at::native {

// A block covers `block_outputs` outputs with `lanes` threads each. Lanes are neighbors in x when
// the folded elements are neighbors in memory ("inner"), and in y when the outputs are ("outer"),
// so that a warp always reads adjacent elements. Long reductions are cut into `chunks`, one block
// each; a second kernel combines them, always in the same order.
struct ReduceConfig {
  bool inner = true;
  int64_t lanes = 1;
  int64_t block_outputs = 1;
  int64_t output_blocks = 1;
  int64_t chunks = 1;
  int64_t chunk_length = 0;

  unsigned block_x() const { return static_cast<unsigned>(inner ? lanes : block_outputs); }
  unsigned block_y() const { return static_cast<unsigned>(inner ? block_outputs : lanes); }
  int64_t threads() const { return lanes * block_outputs; }
};

inline constexpr int64_t kReduceThreads = 256;

// `vector`: how many elements a thread reads at once. `resident`: how many blocks run at once.
inline ReduceConfig make_reduce_config(
    int64_t outputs, int64_t length, bool inner, int64_t vector, int64_t resident) {
  const auto floor_pow2 = [](int64_t n) {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
  };
  const auto ceil_pow2 = [](int64_t n) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
  };
  const auto ceil_div = [](int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); };
  ReduceConfig config;
  config.inner = inner;
  if (inner) {
    config.lanes = std::min(floor_pow2(length / vector), kReduceThreads);
    config.block_outputs = std::min(ceil_pow2(outputs), kReduceThreads / config.lanes);
  } else {
    config.block_outputs = std::min<int64_t>(ceil_pow2(outputs), 32);
    const int64_t most = kReduceThreads / config.block_outputs;
    config.lanes = std::min(floor_pow2(ceil_div(length, 4)), most);
  }
  // Blocks have whole warps; threads without an output only take part in the exchanges.
  config.block_outputs = std::max(config.block_outputs, 32 / config.lanes);
  config.output_blocks = std::max<int64_t>(1, ceil_div(outputs, config.block_outputs));
  // Each thread of a chunk folds at least this many elements, or the second kernel costs more.
  const int64_t worth = config.lanes * vector * 16;
  const int64_t wanted = ceil_div(resident, config.output_blocks);
  const int64_t possible = ceil_div(length, worth);
  constexpr int64_t kMostBlocksInY = 65535;
  config.chunks = std::clamp<int64_t>(std::min(wanted, possible), 1, kMostBlocksInY);
  // A multiple of what the lanes read at once keeps the chunks aligned.
  const int64_t step = config.lanes * vector;
  config.chunk_length =
      std::max<int64_t>(1, ceil_div(ceil_div(length, config.chunks), step) * step);
  config.chunks = std::max<int64_t>(1, ceil_div(length, config.chunk_length));
  return config;
}

} // namespace at::native
