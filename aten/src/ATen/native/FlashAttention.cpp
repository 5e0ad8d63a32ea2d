// Tiled attention, after Dao et al., arXiv:2205.14135: at any time only one tile of the scores
// exists per thread, and the backward pass recomputes the tiles.

#include <ATen/native/Attention.h>
#include <ATen/native/Blas.h>
#include <ATen/native/TileAttention.h>
#include <ATen/native/TileUnit.h>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace at::native {

DEFINE_DISPATCH(attention_softmax_stub);
DEFINE_DISPATCH(attention_finish_stub);
DEFINE_DISPATCH(attention_gradient_stub);
DEFINE_DISPATCH(row_dot_stub);
DEFINE_DISPATCH(half_row_dots_stub);
DEFINE_DISPATCH(half_row_sums_stub);
DEFINE_DISPATCH(tile_attention_stub);

namespace {

constexpr int64_t kTileRows = 64;
constexpr int64_t kTileCols = 256;
// Rows of a short causal tile: half of the scores that no row may attend to are then left out.
constexpr int64_t kShortCausal = 128, kShortRows = 32;

// For so many queries, keys and values of half types are neither converted nor packed.
constexpr int64_t kFewQueries = 4;

// Keys that so many blocks of queries meet are transposed once. Their rows are then farther apart
// than a tile is wide, since those at multiples of 1 KiB would share few sets of a cache.
constexpr int64_t kManyBlocks = 4;
constexpr int64_t kWidthGap = 16;

// One head of a [batch, heads, length, width] tensor whose rows have adjacent elements, or of the
// result of by_width().
struct Head {
  char* data;
  int64_t step; // elements from one row to the next
  bool by_width;
};

struct Heads {
  char* data;
  int64_t batch, head, step, itemsize;
  bool by_width;

  explicit Heads(const Tensor& tensor, bool by_width = false)
      : data(static_cast<char*>(const_cast<void*>(tensor.const_data_ptr()))),
        batch(tensor.stride(0)),
        head(tensor.stride(1)),
        step(tensor.stride(-2)),
        itemsize(static_cast<int64_t>(tensor.itemsize())),
        by_width(by_width) {}

  Head at(int64_t b, int64_t h) const {
    return {data + (b * batch + h * head) * itemsize, step, by_width};
  }
};

char* row(const Head& head, int64_t index, int64_t itemsize) {
  return head.data + index * head.step * itemsize;
}

// State common to forward and backward: the sizes, and the mask as [batch, heads, queries, keys].
struct Attention {
  ScalarType dtype; // sizes of the tiles
  int64_t itemsize;
  int64_t batches, heads, queries, keys, width, value_width;
  double scale;
  bool causal;
  Tensor mask;
  ScalarType stored = dtype; // the type of keys and values in the forward pass

  int64_t tasks() const { return batches * heads; }

  // From one row of transposed keys to the next.
  int64_t by_width_step() const { return std::min(kTileCols, keys) + kWidthGap; }

  int64_t tile_rows() const { return causal && keys <= kShortCausal ? kShortRows : kTileRows; }

  AttentionTile tile(
      char* scores, int64_t step, int64_t b, int64_t h, int64_t first_query, int64_t rows,
      int64_t first_key, int64_t cols) const {
    AttentionTile tile{scores, rows, cols, step, nullptr, 0, 0, 0};
    tile.allowed = causal ? first_query - first_key + 1 : std::numeric_limits<int64_t>::max() / 2;
    if (mask.defined()) {
      const int64_t offset = b * mask.stride(0) + h * mask.stride(1) +
          first_query * mask.stride(2) + first_key * mask.stride(3);
      tile.mask = static_cast<const char*>(mask.const_data_ptr()) + offset * itemsize;
      tile.mask_row = mask.stride(2);
      tile.mask_col = mask.stride(3);
    }
    return tile;
  }

  // The number of keys that at least one of the queries may attend to.
  int64_t keys_seen(int64_t last_query) const { return causal ? std::min(keys, last_query) : keys; }
};

Tensor with_adjacent_rows(const Tensor& tensor, ScalarType dtype) {
  const Tensor converted = at::methods::to(tensor, dtype);
  const bool adjacent = converted.stride(3) == 1 || converted.size(3) == 1;
  const bool apart = converted.stride(2) >= converted.size(3) || converted.size(2) == 1;
  return adjacent && apart ? converted : converted.contiguous();
}

Tensor prepared_mask(const std::optional<Tensor>& mask, ScalarType dtype, IntArrayRef sizes) {
  if (!mask.has_value() || !mask->defined()) {
    return {};
  }
  Tensor values = at::methods::to(*mask, dtype);
  if (values.size(-1) > 1 && values.stride(-1) != 1) {
    values = values.contiguous();
  }
  return at::methods::expand(values, sizes);
}

Attention describe(
    const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask,
    bool causal, std::optional<double> scale) {
  TORCH_CHECK(
      c10::isFloatingType(query.scalar_type()) && !c10::isStorageType(query.scalar_type()),
      "scaled_dot_product_attention_flash_attention: Expected data type in FP32, FP64, BF16, FP16, "
      "but got ",
      query.scalar_type(), " instead.");
  TORCH_CHECK(
      query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
      "scaled_dot_product_attention_flash_attention: Accept only 4 dims inputs shape of {B, H, T, "
      "K}");
  TORCH_CHECK(
      key.size(0) == query.size(0) && key.size(1) == query.size(1) &&
          key.size(3) == query.size(3) && value.size(0) == query.size(0) &&
          value.size(1) == query.size(1) && value.size(2) == key.size(2),
      "scaled_dot_product_attention: query ", query.sizes(), ", key ", key.sizes(), " and value ",
      value.sizes(), " do not fit");
  const ScalarType dtype = query.scalar_type() == kDouble ? kDouble : kFloat;
  const int64_t width = query.size(3);
  Attention a{
      dtype,
      static_cast<int64_t>(c10::elementSize(dtype)),
      query.size(0),
      query.size(1),
      query.size(2),
      key.size(2),
      width,
      value.size(3),
      scale.value_or(1.0 / std::sqrt(static_cast<double>(width))),
      causal,
      {}};
  a.mask = prepared_mask(mask, dtype, {a.batches, a.heads, a.queries, a.keys});
  return a;
}

c10::DataPtr scratch(int64_t elements, int64_t itemsize) {
  return c10::GetCPUAllocator()->allocate(static_cast<size_t>(elements * itemsize));
}

// scores[rows, cols] = scale * q k^T
Gemm scores_of(
    const Attention& a, const Head& q, int64_t first_query, int64_t rows, const Head& k,
    int64_t first_key, int64_t cols, char* scores, int64_t width) {
  const int64_t first_row = k.by_width ? first_key / kTileCols * width : first_key;
  return {
      rows,
      cols,
      width,
      row(q, first_query, a.itemsize),
      q.step,
      1,
      row(k, first_row, a.itemsize),
      k.by_width ? k.step : 1,
      k.by_width ? 1 : k.step,
      scores,
      kTileCols,
      1};
}

// Keys or values as [batch, heads, tile of keys, width, key of the tile].
Tensor by_width(const Attention& a, const Tensor& keys) {
  const int64_t tiles = at::divup(a.keys, kTileCols);
  Tensor result =
      at::empty({a.batches, a.heads, tiles, keys.size(3), a.by_width_step()}, keys.options());
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t first = tile * kTileCols, cols = std::min(kTileCols, a.keys - first);
    at::methods::copy_(
        at::narrow(at::select(result, 2, tile), 3, 0, cols),
        at::transpose(at::narrow(keys, 2, first, cols), 2, 3));
  }
  return result;
}

// ---- forward

struct ForwardScratch {
  c10::DataPtr memory;
  char *scores, *max, *sum, *result;

  explicit ForwardScratch(const Attention& a)
      : memory(scratch(kTileRows * (kTileCols + 2 + a.value_width), a.itemsize)),
        scores(static_cast<char*>(memory.get())),
        max(scores + kTileRows * kTileCols * a.itemsize),
        sum(max + kTileRows * a.itemsize),
        result(sum + kTileRows * a.itemsize) {}
};

template <typename T>
void clear(const ForwardScratch& s, int64_t rows, int64_t width) {
  std::fill_n(reinterpret_cast<T*>(s.max), rows, -std::numeric_limits<T>::infinity());
  std::fill_n(reinterpret_cast<T*>(s.sum), rows, T(0));
  std::fill_n(reinterpret_cast<T*>(s.result), rows * width, T(0));
}

void find_scores(
    const Attention& a, const ForwardScratch& s, const Head& q, int64_t first, int64_t rows,
    const Head& k, int64_t at, int64_t cols) {
  if (a.stored == a.dtype) {
    gemm(a.dtype, scores_of(a, q, first, rows, k, at, cols, s.scores, a.width), a.scale, 0);
    return;
  }
  const HalfProduct product{rows,     cols,
                            a.width,  reinterpret_cast<const float*>(row(q, first, a.itemsize)),
                            q.step,   row(k, at, c10::elementSize(a.stored)),
                            k.step,   reinterpret_cast<float*>(s.scores),
                            kTileCols};
  half_row_dots_stub.on_host(a.stored, product, static_cast<float>(a.scale));
}

void add_values(
    const Attention& a, const ForwardScratch& s, int64_t rows, const Head& v, int64_t at,
    int64_t cols) {
  if (a.stored == a.dtype) {
    const Gemm weighted{
        rows, a.value_width, cols,          s.scores, kTileCols, 1, row(v, at, a.itemsize), v.step,
        1,    s.result,      a.value_width, 1};
    gemm(a.dtype, weighted, 1, 1);
    return;
  }
  const HalfProduct product{rows,          cols,
                            a.value_width, reinterpret_cast<const float*>(s.scores),
                            kTileCols,     row(v, at, c10::elementSize(a.stored)),
                            v.step,        reinterpret_cast<float*>(s.result),
                            a.value_width};
  half_row_sums_stub.on_host(a.stored, product);
}

void attend_rows(
    const Attention& a, const ForwardScratch& s, int64_t b, int64_t h, int64_t first, int64_t rows,
    const Head& q, const Head& k, const Head& v) {
  a.dtype == kDouble ? clear<double>(s, rows, a.value_width) : clear<float>(s, rows, a.value_width);
  const int64_t keys = a.keys_seen(first + rows);
  for (int64_t at = 0; at < keys; at += kTileCols) {
    const int64_t cols = std::min(kTileCols, keys - at);
    find_scores(a, s, q, first, rows, k, at, cols);
    attention_softmax_stub.on_host(
        a.dtype, a.tile(s.scores, kTileCols, b, h, first, rows, at, cols),
        AttentionRows{s.max, s.sum, s.result, a.value_width});
    add_values(a, s, rows, v, at, cols);
  }
}

void attend(
    const Attention& a, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& output, const Tensor& logsumexp) {
  const int64_t tile_rows = a.tile_rows(), blocks = at::divup(a.queries, tile_rows);
  const bool turns = blocks >= kManyBlocks;
  const Tensor keys = turns ? by_width(a, key) : key;
  const Heads q(query), k(keys, turns), v(value), out(output);
  auto* lse = static_cast<char*>(logsumexp.mutable_data_ptr());
  at::parallel_for(0, a.tasks() * blocks, 1, [&](int64_t begin, int64_t end) {
    const ForwardScratch s(a);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % blocks * tile_rows;
      const int64_t h = task / blocks % a.heads, b = task / blocks / a.heads;
      const int64_t rows = std::min(tile_rows, a.queries - first);
      attend_rows(a, s, b, h, first, rows, q.at(b, h), k.at(b, h), v.at(b, h));
      const Head target = out.at(b, h);
      const int64_t lse_at =
          b * logsumexp.stride(0) + h * logsumexp.stride(1) + first * logsumexp.stride(2);
      attention_finish_stub.on_host(
          a.dtype, AttentionRows{s.max, s.sum, s.result, a.value_width}, rows,
          row(target, first, a.itemsize), target.step, lse + lse_at * a.itemsize,
          logsumexp.stride(2));
    }
  });
}

TileAttention::Heads tile_heads(const Tensor& t) {
  return {const_cast<void*>(t.const_data_ptr()), t.stride(0), t.stride(1), t.stride(2)};
}

void attend_in_bfloat16(
    const Attention& a, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& output, const Tensor& lse) {
  TileAttention job{};
  job.heads = a.heads;
  job.queries = a.queries;
  job.keys = a.keys;
  job.width = a.width;
  job.value_width = a.value_width;
  job.scale = static_cast<float>(a.scale);
  job.causal = a.causal;
  job.query = tile_heads(query);
  job.key = tile_heads(key);
  job.value = tile_heads(value);
  job.out = tile_heads(output);
  if (a.mask.defined()) {
    const Tensor& m = a.mask;
    job.mask = {
        static_cast<const float*>(m.const_data_ptr()), m.stride(0), m.stride(1), m.stride(2),
        m.stride(3)};
  }
  job.lse = static_cast<float*>(lse.mutable_data_ptr());
  job.lse_batch = lse.stride(0);
  job.lse_head = lse.stride(1);
  job.lse_row = lse.stride(2);
  const int64_t tasks = a.tasks() * at::divup(a.queries, TileAttention::kQueries);
  at::parallel_for(0, tasks, 1, [&](int64_t begin, int64_t end) {
    tile_attention_stub.on_host(job, begin, end);
  });
}

// ---- backward

struct BackwardHead {
  Head q, k, out, grad_out, grad_q, grad_k, grad_v;
  Head keys, values; // as the scores read them
  const char* lse;   // [queries]
};

struct BackwardScratch {
  c10::DataPtr memory;
  char *scores, *grads, *delta;

  explicit BackwardScratch(const Attention& a)
      : memory(scratch(2 * kTileRows * kTileCols + a.queries, a.itemsize)),
        scores(static_cast<char*>(memory.get())),
        grads(scores + kTileRows * kTileCols * a.itemsize),
        delta(grads + kTileRows * kTileCols * a.itemsize) {}
};

// With p = softmax(s) and dp = dO v^T: dv += p^T dO, ds = p (dp - delta), dq += ds k, dk += ds^T q.
void tile_backward(
    const Attention& a, const BackwardScratch& s, const BackwardHead& head, int64_t b, int64_t h,
    int64_t first, int64_t rows, int64_t at, int64_t cols) {
  const int64_t size = a.itemsize;
  char* grad_out = row(head.grad_out, first, size);
  gemm(
      a.dtype, scores_of(a, head.q, first, rows, head.keys, at, cols, s.scores, a.width), a.scale,
      0);
  gemm(
      a.dtype,
      scores_of(a, head.grad_out, first, rows, head.values, at, cols, s.grads, a.value_width), 1,
      0);
  attention_gradient_stub.on_host(
      a.dtype, a.tile(s.scores, kTileCols, b, h, first, rows, at, cols), s.grads,
      head.lse + first * size, s.delta + first * size);
  const Gemm grad_v{
      cols,
      a.value_width,
      rows,
      s.scores,
      1,
      kTileCols,
      grad_out,
      head.grad_out.step,
      1,
      row(head.grad_v, at, size),
      head.grad_v.step,
      1};
  const Gemm grad_q{
      rows,
      a.width,
      cols,
      s.grads,
      kTileCols,
      1,
      row(head.k, at, size),
      head.k.step,
      1,
      row(head.grad_q, first, size),
      head.grad_q.step,
      1};
  const Gemm grad_k{
      cols,
      a.width,
      rows,
      s.grads,
      1,
      kTileCols,
      row(head.q, first, size),
      head.q.step,
      1,
      row(head.grad_k, at, size),
      head.grad_k.step,
      1};
  gemm(a.dtype, grad_v, 1, 1);
  gemm(a.dtype, grad_q, a.scale, 1);
  gemm(a.dtype, grad_k, a.scale, 1);
}

void head_backward(
    const Attention& a, const BackwardScratch& s, const BackwardHead& head, int64_t b, int64_t h) {
  row_dot_stub.on_host(
      a.dtype, head.grad_out.data, head.grad_out.step, head.out.data, head.out.step, a.queries,
      a.value_width, s.delta);
  for (int64_t first = 0; first < a.queries; first += kTileRows) {
    const int64_t rows = std::min(kTileRows, a.queries - first);
    const int64_t keys = a.keys_seen(first + rows);
    for (int64_t at = 0; at < keys; at += kTileCols) {
      tile_backward(a, s, head, b, h, first, rows, at, std::min(kTileCols, keys - at));
    }
  }
}

// A [batch, heads, length, width] tensor stored as [batch, length, heads, width].
Tensor zeros_by_length(const Tensor& like, ScalarType dtype) {
  return at::transpose(
      at::zeros(
          {like.size(0), like.size(2), like.size(1), like.size(3)}, like.options().dtype(dtype)),
      1, 2);
}

Tensor empty_logsumexp(const Attention& a, const Tensor& query) {
  return at::transpose(
      at::empty({a.batches, a.queries, a.heads}, query.options().dtype(a.dtype)), 1, 2);
}

} // namespace

std::tuple<Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu(
    const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p, bool is_causal,
    const std::optional<Tensor>& attn_mask, std::optional<double> scale) {
  TORCH_CHECK(
      dropout_p == 0,
      "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0");
  Attention a = describe(query, key, value, attn_mask, is_causal, scale);
  Tensor logsumexp = empty_logsumexp(a, query);
  Tensor result = a.value_width == a.width
      ? at::empty_like(query)
      : at::empty({a.batches, a.heads, a.queries, a.value_width}, query.options());
  if (query.is_meta() || result.numel() == 0) {
    return {result, logsumexp};
  }
  const bool few = a.queries <= kFewQueries;
  const bool by_tiles =
      query.scalar_type() == kBFloat16 && query.is_cpu() && has_tile_unit() && !few;
  const ScalarType dtype = by_tiles ? kBFloat16 : a.dtype;
  const bool direct = result.scalar_type() == dtype && result.stride(3) == 1;
  const Tensor output = direct ? result : at::empty(result.sizes(), result.options().dtype(dtype));
  const auto run = by_tiles ? &attend_in_bfloat16 : &attend;
  a.stored = few ? query.scalar_type() : dtype;
  run(a, with_adjacent_rows(query, dtype), with_adjacent_rows(key, a.stored),
      with_adjacent_rows(value, a.stored), output, logsumexp);
  if (!direct) {
    at::methods::copy_(result, output);
  }
  return {result, logsumexp};
}

std::tuple<Tensor, Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, double /*dropout_p*/, bool is_causal,
    const std::optional<Tensor>& attn_mask, std::optional<double> scale) {
  if (!grad_out.defined()) {
    return {};
  }
  const Attention a = describe(query, key, value, attn_mask, is_causal, scale);
  const c10::DimVector result_sizes{a.batches, a.heads, a.queries, a.value_width};
  TORCH_CHECK(
      out.sizes().equals(result_sizes) && grad_out.sizes().equals(result_sizes) &&
          logsumexp.sizes() == out.sizes().slice(0, 3) && logsumexp.scalar_type() == a.dtype,
      "scaled_dot_product_attention: output ", out.sizes(), ", its gradient ", grad_out.sizes(),
      " and logsumexp ", logsumexp.sizes(), " do not fit the query ", query.sizes());
  const Tensor grad_query = zeros_by_length(query, a.dtype);
  const Tensor grad_key = zeros_by_length(key, a.dtype);
  const Tensor grad_value = zeros_by_length(value, a.dtype);
  if (!query.is_meta() && query.numel() > 0) {
    const Tensor rows_of_query = with_adjacent_rows(query, a.dtype);
    const Tensor rows_of_key = with_adjacent_rows(key, a.dtype);
    const Tensor rows_of_value = with_adjacent_rows(value, a.dtype);
    const Tensor rows_of_out = with_adjacent_rows(out, a.dtype);
    const Tensor rows_of_grad = with_adjacent_rows(grad_out, a.dtype);
    const Tensor lse = logsumexp.contiguous();
    const bool turns = at::divup(a.queries, kTileRows) >= kManyBlocks;
    const Tensor keys = turns ? by_width(a, rows_of_key) : rows_of_key;
    const Tensor values = turns ? by_width(a, rows_of_value) : rows_of_value;
    const Heads q(rows_of_query), k(rows_of_key), o(rows_of_out), g(rows_of_grad), gq(grad_query),
        gk(grad_key), gv(grad_value), k_read(keys, turns), v_read(values, turns);
    at::parallel_for(0, a.tasks(), 1, [&](int64_t begin, int64_t end) {
      const BackwardScratch s(a);
      for (int64_t task = begin; task < end; ++task) {
        const int64_t h = task % a.heads, b = task / a.heads;
        const auto* head_lse =
            static_cast<const char*>(lse.const_data_ptr()) + task * a.queries * a.itemsize;
        const BackwardHead head{q.at(b, h),      k.at(b, h),  o.at(b, h),  g.at(b, h),
                                gq.at(b, h),     gk.at(b, h), gv.at(b, h), k_read.at(b, h),
                                v_read.at(b, h), head_lse};
        head_backward(a, s, head, b, h);
      }
    });
  }
  const ScalarType dtype = query.scalar_type();
  return {
      at::methods::to(grad_query, dtype), at::methods::to(grad_key, dtype),
      at::methods::to(grad_value, dtype)};
}

} // namespace at::native
