// softmax(scale q k^T + bias) v without a matrix of scores in memory: a block of threads keeps one
// tile of queries and goes over the keys tile by tile, with a running maximum and a running sum per
// query (online softmax: Milakov and Gimelshein 2018; Dao et al. 2022).
//
// The gradients compute the scores again from the logsumexp of each query. One kernel owns tiles of
// keys, another tiles of queries, so that nobody adds to memory of another block and results do not
// depend on the order of blocks.

#include <ATen/OpMathType.h>
#include <ATen/native/cuda/Attention.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAShared.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>
#include <cstdint>
#include <limits>

// Arrays of a thread stay in registers only if every loop over them is unrolled. nvcc would also
// unroll the longer loops around these, which costs registers and a minute of compilation.
#if defined(__CUDACC__)
#define AT_UNROLL _Pragma("unroll")
#define AT_UNROLL_BY(count) _Pragma(C10_STRINGIZE(unroll count))
#else
#define AT_UNROLL
#define AT_UNROLL_BY(count)
#endif

namespace at::native {
namespace {

// Four threads work on a row of a tile: each has every fourth column, and every fourth element of
// the row's result.
constexpr int kThreadsPerRow = 4;

template <typename T, int kWidth>
struct Tile {
  using Wide = at::opmath_type<T>;
  // Four tiles of this many rows fit into 48 KiB.
  static constexpr int kBytes = kWidth * static_cast<int>(sizeof(Wide));
  static constexpr int kRows = kBytes <= 256 ? 32 : kBytes <= 512 ? 16 : 8;
  static constexpr int kThreads = kRows * kThreadsPerRow;
  static constexpr int kPitch = kWidth + 1; // neighbouring rows begin in different banks
  static constexpr int kElements = kRows * kPitch;
  static constexpr int kScores = kRows * (kRows + 1);
  static constexpr int kShare = kWidth / kThreadsPerRow; // elements of a result, per thread
  static constexpr int kColumns = kRows / kThreadsPerRow;
};

// Rows of a [rows, width] matrix from memory, in the type of sums; beyond the matrix, zeros.
template <typename T, int kWidth>
__device__ void load_tile(
    typename Tile<T, kWidth>::Wide* tile, const T* source, int64_t row_stride, int64_t first,
    int64_t rows, int64_t width) {
  using Shape = Tile<T, kWidth>;
  for (int i = static_cast<int>(threadIdx.x); i < Shape::kRows * kWidth; i += Shape::kThreads) {
    const int row = i / kWidth, column = i % kWidth;
    const bool inside = first + row < rows && column < width;
    tile[row * Shape::kPitch + column] = inside
        ? static_cast<typename Shape::Wide>(source[(first + row) * row_stride + column])
        : typename Shape::Wide(0);
  }
}

template <int kWidth, typename Wide>
__device__ Wide dot_rows(const Wide* a, const Wide* b) {
  Wide sum(0);
  for (int i = 0; i < kWidth; ++i)
    sum += a[i] * b[i];
  return sum;
}

// Reduces over the four threads of a row.
template <typename Wide, typename Combine>
__device__ Wide over_row(Wide value, Combine combine) {
  value = combine(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return combine(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

// A block works on one head of one item of the batch: where it begins.
template <typename T>
__device__ const T* plane(const T* data, const AttentionStrides& strides) {
  return data + blockIdx.z * strides.batch + blockIdx.y * strides.head;
}
// The same in a contiguous result, in units of one head.
__device__ inline int64_t plane_index() {
  return static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
}

template <typename T>
__device__ at::opmath_type<T> bias_at(
    const AttentionShape& s, const T* bias, int64_t q, int64_t k) {
  if (k >= s.keys || (s.causal && k > q))
    return -std::numeric_limits<at::opmath_type<T>>::infinity();
  return bias == nullptr
      ? at::opmath_type<T>(0)
      : static_cast<at::opmath_type<T>>(bias[q * s.bias.row + k * s.bias.column]);
}

template <typename T, int kWidth>
__global__ void attend(
    AttentionShape s, const T* queries, const T* keys, const T* values, const T* biases, T* output,
    at::opmath_type<T>* logsumexp) {
  using Shape = Tile<T, kWidth>;
  using Wide = typename Shape::Wide;
  constexpr Wide kNothing = -std::numeric_limits<Wide>::infinity();
  C10_SHARED(Wide, q, Shape::kElements);
  C10_SHARED(Wide, kv, Shape::kElements);
  C10_SHARED(Wide, weights, Shape::kScores);
  const int row = static_cast<int>(threadIdx.x) / kThreadsPerRow;
  const int lane = static_cast<int>(threadIdx.x) % kThreadsPerRow;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * Shape::kRows;
  const int64_t query = first + row;
  const T* bias = biases == nullptr ? nullptr : plane(biases, s.bias);
  load_tile<T, kWidth>(q, plane(queries, s.query), s.query.row, first, s.queries, s.width);

  Wide largest = kNothing, total(0), sums[Shape::kShare] = {};
  const int64_t end = s.causal ? std::min(s.keys, first + Shape::kRows) : s.keys;
  for (int64_t tile = 0; tile < end; tile += Shape::kRows) {
    __syncthreads();
    load_tile<T, kWidth>(kv, plane(keys, s.key), s.key.row, tile, s.keys, s.width);
    __syncthreads();
    Wide scores[Shape::kColumns];
    Wide tile_largest = largest;
    AT_UNROLL
    for (int i = 0; i < Shape::kColumns; ++i) {
      const int column = lane + i * kThreadsPerRow;
      const Wide product = dot_rows<kWidth>(q + row * Shape::kPitch, kv + column * Shape::kPitch);
      scores[i] = query < s.queries
          ? product * static_cast<Wide>(s.scale) + bias_at(s, bias, query, tile + column)
          : kNothing;
      tile_largest = scores[i] > tile_largest ? scores[i] : tile_largest;
    }
    tile_largest = over_row(tile_largest, [](Wide a, Wide b) { return a > b ? a : b; });
    const Wide keep = largest == kNothing ? Wide(0) : std::exp(largest - tile_largest);
    Wide tile_total(0);
    AT_UNROLL
    for (int i = 0; i < Shape::kColumns; ++i) {
      const Wide weight = scores[i] == kNothing ? Wide(0) : std::exp(scores[i] - tile_largest);
      weights[row * (Shape::kRows + 1) + lane + i * kThreadsPerRow] = weight;
      tile_total += weight;
    }
    total = total * keep + over_row(tile_total, [](Wide a, Wide b) { return a + b; });
    largest = tile_largest;
    __syncthreads();
    load_tile<T, kWidth>(kv, plane(values, s.value), s.value.row, tile, s.keys, s.width);
    __syncthreads();
    AT_UNROLL
    for (int i = 0; i < Shape::kShare; ++i)
      sums[i] *= keep;
    AT_UNROLL_BY(1)
    for (int c = 0; c < Shape::kRows; ++c) {
      const Wide weight = weights[row * (Shape::kRows + 1) + c];
      AT_UNROLL
      for (int i = 0; i < Shape::kShare; ++i) {
        sums[i] += weight * kv[c * Shape::kPitch + lane + i * kThreadsPerRow];
      }
    }
  }
  if (query >= s.queries) return;
  T* target = output + (plane_index() * s.queries + query) * s.width;
  AT_UNROLL
  for (int i = 0; i < Shape::kShare; ++i) {
    const int column = lane + i * kThreadsPerRow;
    if (column < s.width)
      target[column] = static_cast<T>(total > Wide(0) ? sums[i] / total : Wide(0));
  }
  // Infinity for a query that sees no key, so that the gradient's weights exp(score - logsumexp)
  // become 0 there.
  if (lane == 0 && logsumexp != nullptr) {
    logsumexp[plane_index() * s.queries + query] =
        total > Wide(0) ? largest + std::log(total) : -kNothing;
  }
}

// What the kernels of the gradient read for each pair of a query and a key.
template <typename Wide>
struct PairGradient {
  Wide weight; // softmax
  Wide score;  // gradient of the score
};

template <typename T, int kWidth>
__device__ PairGradient<at::opmath_type<T>> pair_gradient(
    const AttentionShape& s, const T* bias, int64_t query, int64_t key, at::opmath_type<T> product,
    at::opmath_type<T> grad_weight, const at::opmath_type<T>* logsumexp,
    const at::opmath_type<T>* output_dots) {
  using Wide = at::opmath_type<T>;
  if (query >= s.queries) return {Wide(0), Wide(0)};
  const Wide score = product * static_cast<Wide>(s.scale) + bias_at(s, bias, query, key);
  const int64_t at = plane_index() * s.queries + query;
  const Wide weight = std::exp(score - logsumexp[at]);
  return {weight, weight * (grad_weight - output_dots[at])};
}

template <typename T, int kWidth>
__global__ void gradient_of_keys(AttentionShape s, AttentionGradients<T> g) {
  using Shape = Tile<T, kWidth>;
  using Wide = typename Shape::Wide;
  C10_SHARED(Wide, k, Shape::kElements);
  C10_SHARED(Wide, v, Shape::kElements);
  C10_SHARED(Wide, q, Shape::kElements);
  C10_SHARED(Wide, grad, Shape::kElements);
  const int row = static_cast<int>(threadIdx.x) / kThreadsPerRow; // of keys
  const int lane = static_cast<int>(threadIdx.x) % kThreadsPerRow;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * Shape::kRows;
  const int64_t key = first + row;
  const T* bias = g.bias == nullptr ? nullptr : plane(g.bias, s.bias);
  load_tile<T, kWidth>(k, plane(g.key, s.key), s.key.row, first, s.keys, s.width);
  load_tile<T, kWidth>(v, plane(g.value, s.value), s.value.row, first, s.keys, s.width);

  Wide key_sums[Shape::kShare] = {}, value_sums[Shape::kShare] = {};
  const int64_t begin = s.causal ? first : 0; // earlier queries do not see these keys
  for (int64_t tile = begin; tile < s.queries; tile += Shape::kRows) {
    __syncthreads();
    load_tile<T, kWidth>(q, plane(g.query, s.query), s.query.row, tile, s.queries, s.width);
    load_tile<T, kWidth>(grad, plane(g.grad_output, s.grad), s.grad.row, tile, s.queries, s.width);
    __syncthreads();
    AT_UNROLL_BY(1)
    for (int i = 0; i < Shape::kColumns; ++i) {
      const int mine = lane + i * kThreadsPerRow;
      const auto pair = pair_gradient<T, kWidth>(
          s, bias, tile + mine, key,
          dot_rows<kWidth>(q + mine * Shape::kPitch, k + row * Shape::kPitch),
          dot_rows<kWidth>(grad + mine * Shape::kPitch, v + row * Shape::kPitch), g.logsumexp,
          g.output_dots);
      // Each of the row's four threads has one of four pairs, and all need them for their share.
      AT_UNROLL_BY(1)
      for (int other = 0; other < kThreadsPerRow; ++other) {
        const int source =
            (static_cast<int>(threadIdx.x) % 32) / kThreadsPerRow * kThreadsPerRow + other;
        const Wide weight = __shfl_sync(0xffffffffu, pair.weight, source);
        const Wide score = __shfl_sync(0xffffffffu, pair.score, source);
        const int at = (other + i * kThreadsPerRow) * Shape::kPitch + lane;
        AT_UNROLL
        for (int j = 0; j < Shape::kShare; ++j) {
          value_sums[j] += weight * grad[at + j * kThreadsPerRow];
          key_sums[j] += score * q[at + j * kThreadsPerRow];
        }
      }
    }
  }
  if (key >= s.keys) return;
  const int64_t at = (plane_index() * s.keys + key) * s.width;
  AT_UNROLL
  for (int j = 0; j < Shape::kShare; ++j) {
    const int column = lane + j * kThreadsPerRow;
    if (column >= s.width) break;
    g.grad_key[at + column] = static_cast<T>(key_sums[j] * static_cast<Wide>(s.scale));
    g.grad_value[at + column] = static_cast<T>(value_sums[j]);
  }
}

template <typename T, int kWidth>
__global__ void gradient_of_queries(AttentionShape s, AttentionGradients<T> g) {
  using Shape = Tile<T, kWidth>;
  using Wide = typename Shape::Wide;
  C10_SHARED(Wide, q, Shape::kElements);
  C10_SHARED(Wide, grad, Shape::kElements);
  C10_SHARED(Wide, k, Shape::kElements);
  C10_SHARED(Wide, v, Shape::kElements);
  const int row = static_cast<int>(threadIdx.x) / kThreadsPerRow; // of queries
  const int lane = static_cast<int>(threadIdx.x) % kThreadsPerRow;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * Shape::kRows;
  const int64_t query = first + row;
  const T* bias = g.bias == nullptr ? nullptr : plane(g.bias, s.bias);
  load_tile<T, kWidth>(q, plane(g.query, s.query), s.query.row, first, s.queries, s.width);
  load_tile<T, kWidth>(grad, plane(g.grad_output, s.grad), s.grad.row, first, s.queries, s.width);

  Wide sums[Shape::kShare] = {};
  // The gradient of the bias is written for every pair, also where it is 0.
  const bool all = !s.causal || g.grad_bias != nullptr;
  const int64_t end = all ? s.keys : std::min(s.keys, first + Shape::kRows);
  for (int64_t tile = 0; tile < end; tile += Shape::kRows) {
    __syncthreads();
    load_tile<T, kWidth>(k, plane(g.key, s.key), s.key.row, tile, s.keys, s.width);
    load_tile<T, kWidth>(v, plane(g.value, s.value), s.value.row, tile, s.keys, s.width);
    __syncthreads();
    AT_UNROLL_BY(1)
    for (int i = 0; i < Shape::kColumns; ++i) {
      const int mine = lane + i * kThreadsPerRow;
      const auto pair = pair_gradient<T, kWidth>(
          s, bias, query, tile + mine,
          dot_rows<kWidth>(q + row * Shape::kPitch, k + mine * Shape::kPitch),
          dot_rows<kWidth>(grad + row * Shape::kPitch, v + mine * Shape::kPitch), g.logsumexp,
          g.output_dots);
      if (g.grad_bias != nullptr && query < s.queries && tile + mine < s.keys) {
        g.grad_bias[(plane_index() * s.queries + query) * s.keys + tile + mine] =
            static_cast<T>(pair.score);
      }
      AT_UNROLL_BY(1)
      for (int other = 0; other < kThreadsPerRow; ++other) {
        const int source =
            (static_cast<int>(threadIdx.x) % 32) / kThreadsPerRow * kThreadsPerRow + other;
        const Wide score = __shfl_sync(0xffffffffu, pair.score, source);
        const int at = (other + i * kThreadsPerRow) * Shape::kPitch + lane;
        AT_UNROLL
        for (int j = 0; j < Shape::kShare; ++j)
          sums[j] += score * k[at + j * kThreadsPerRow];
      }
    }
  }
  if (query >= s.queries) return;
  const int64_t at = (plane_index() * s.queries + query) * s.width;
  AT_UNROLL
  for (int j = 0; j < Shape::kShare; ++j) {
    const int column = lane + j * kThreadsPerRow;
    if (column >= s.width) break;
    g.grad_query[at + column] = static_cast<T>(sums[j] * static_cast<Wide>(s.scale));
  }
}

template <typename T, int kWidth, typename... Parameters, typename... Arguments>
void launch_tiles(
    const AttentionShape& s, int64_t rows, void (*kernel)(AttentionShape, Parameters...),
    Arguments... arguments) {
  using Shape = Tile<T, kWidth>;
  const dim3 grid(
      static_cast<unsigned>((rows + Shape::kRows - 1) / Shape::kRows),
      static_cast<unsigned>(s.heads), static_cast<unsigned>(s.batch));
  C10_CUDA_CHECK(at::cuda::launch(
      kernel, grid, dim3(Shape::kThreads), 0, c10::cuda::getCurrentCUDAStream(), s, arguments...));
}

template <typename Run>
void for_width(int64_t width, const Run& run) {
  if (width <= 32) return run.template operator()<32>();
  if (width <= 64) return run.template operator()<64>();
  run.template operator()<128>();
}

} // namespace

template <typename T>
void attention_forward(
    const AttentionShape& s, const T* query, const T* key, const T* value, const T* bias, T* output,
    at::opmath_type<T>* logsumexp) {
  for_width(s.width, [&]<int kWidth>() {
    launch_tiles<T, kWidth>(
        s, s.queries, attend<T, kWidth>, query, key, value, bias, output, logsumexp);
  });
}

template <typename T>
void attention_backward(const AttentionShape& s, const AttentionGradients<T>& g) {
  for_width(s.width, [&]<int kWidth>() {
    launch_tiles<T, kWidth>(s, s.keys, gradient_of_keys<T, kWidth>, g);
    launch_tiles<T, kWidth>(s, s.queries, gradient_of_queries<T, kWidth>, g);
  });
}

#define AT_INSTANTIATE_ATTENTION(T)                                                            \
  template void attention_forward<T>(                                                          \
      const AttentionShape&, const T*, const T*, const T*, const T*, T*, at::opmath_type<T>*); \
  template void attention_backward<T>(const AttentionShape&, const AttentionGradients<T>&);
AT_INSTANTIATE_ATTENTION(float)
AT_INSTANTIATE_ATTENTION(double)
AT_INSTANTIATE_ATTENTION(c10::Half)
AT_INSTANTIATE_ATTENTION(c10::BFloat16)
#undef AT_INSTANTIATE_ATTENTION

} // namespace at::native
