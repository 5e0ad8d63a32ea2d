// Attention of bfloat16 by a processor's tile unit. Scores are computed transposed, as keys by
// queries: then a register holds 16 queries of one key, their softmax needs no sums across a
// register, and exponentials of two keys, joined to words, are already an operand of the second
// product. Keys and values are packed once for all queries of a head.

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/native/TileAttention.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TileProduct.h>

#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

constexpr int64_t kQueries = TileAttention::kQueries; // two tiles
constexpr int64_t kKeys = 256;                        // that are computed together
constexpr int64_t kRow = kQueries * 4;                // bytes of a row of scores
constexpr float kNothing = -std::numeric_limits<float>::infinity();
constexpr float kLog2e = 0x1.715476p+0f;
static_assert(kQueries == kTilePair);

using c10::BFloat16;

int64_t whole_pairs(int64_t count) {
  return (count + kTilePair - 1) / kTilePair * kTilePair;
}

__m512 larger(__m512 a, __m512 b) {
  return _mm512_maskz_max_ps(0xffff, a, b);
}

// 2^x to 18 bits, or 0 where that would be subnormal: computing an underflow interrupts the
// processor. The polynomial is the best one for the relative error between whole numbers.
C10_ALWAYS_INLINE __m512 exp2_of(__m512 x) {
  constexpr int kBelow = 1; // the fraction above the next lower whole number
  const __m512 f = _mm512_maskz_reduce_ps(0xffff, x, kBelow);
  __m512 p = _mm512_set1_ps(0x1.b7f738p-7f) * f + _mm512_set1_ps(0x1.abf866p-5f);
  p = p * f + _mm512_set1_ps(0x1.ee2452p-3f);
  p = p * f + _mm512_set1_ps(0x1.62d6c6p-1f);
  p = p * f + _mm512_set1_ps(1.0f);
  const __mmask16 normal = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-126.0f), _CMP_NLT_UQ);
  return _mm512_maskz_scalef_ps(normal, p, x);
}

// Words whose lower halves are the numbers of `low`, rounded to bfloat16.
C10_ALWAYS_INLINE ROUNDING_UNIT __m512i joined(__m512 low, __m512 high) {
  const auto pairs = _mm512_set_epi16(
      31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19,
      3, 18, 2, 17, 1, 16, 0);
  return _mm512_maskz_permutexvar_epi16(0xffffffff, pairs, rounded(low, high));
}

// The queries of one task, and the state of their softmax after the keys so far. Maxima are of
// scaled scores.
struct Block {
  int64_t batch, head, first, rows;
  __m512 max[2], sum[2];
};

class Attention {
 public:
  explicit Attention(const TileAttention& job)
      : job_(job),
        keys_(job.causal ? std::min(job.keys, job.queries) : job.keys),
        steps_(whole_pairs(job.width) / kTileDepth),
        value_rows_(whole_pairs(job.value_width)),
        key_steps_(whole_pairs(keys_) / kTileDepth),
        k_(whole_pairs(keys_) / kTileSide * steps_ * kTileBytes),
        v_(value_rows_ / kTileSide * key_steps_ * kTileBytes),
        q_(2 * steps_ * kTileBytes),
        scores_(kKeys * kQueries),
        mask_(job.mask.data == nullptr ? 0 : kKeys * kQueries),
        sums_(2 * value_rows_ * kQueries) {
    if (job.mask.data != nullptr) {
      std::fill_n(mask_.get(), kKeys * kQueries, 0.0f);
    }
  }

  void run(int64_t begin, int64_t end) {
    const int64_t blocks = (job_.queries + kQueries - 1) / kQueries;
    use_tiles();
    for (int64_t task = begin; task < end; ++task) {
      Block block{};
      block.head = task / blocks % job_.heads;
      block.batch = task / blocks / job_.heads;
      block.first = task % blocks * kQueries;
      block.rows = std::min(kQueries, job_.queries - block.first);
      if (task == begin || block.first == 0) {
        pack_keys(block);
        pack_values(block);
      }
      attend(block);
    }
    release_tiles();
  }

 private:
  static const BFloat16* head_of(const TileAttention::Heads& heads, const Block& block) {
    return static_cast<const BFloat16*>(heads.data) + block.batch * heads.batch +
        block.head * heads.head;
  }

  void pack_keys(const Block& block) const {
    const int64_t row = job_.key.row;
    const BFloat16* from = head_of(job_.key, block);
    char* to = k_.get();
    for (int64_t key = 0; key < whole_pairs(keys_); key += kTileSide) {
      for (int64_t k = 0; k < steps_ * kTileDepth; k += kTileDepth, to += kTileBytes) {
        pack_rows(from + key * row + k, row, keys_ - key, job_.width - k, to);
      }
    }
  }

  void pack_values(const Block& block) const {
    const int64_t row = job_.value.row;
    const BFloat16* from = head_of(job_.value, block);
    for (int64_t key = 0; key < keys_; key += kTileDepth) {
      char* to = v_.get() + key / kTileDepth * kTileBytes;
      for (int64_t v = 0; v < value_rows_; v += kTileSide, to += key_steps_ * kTileBytes) {
        pack_depth_transposed(
            from + key * row + v, row, keys_ - key, std::max<int64_t>(job_.value_width - v, 0), to);
      }
    }
  }

  void pack_queries(const Block& block) const {
    const int64_t row = job_.query.row;
    const BFloat16* from = head_of(job_.query, block) + block.first * row;
    char* to = q_.get();
    for (int64_t query = 0; query < kQueries; query += kTileSide) {
      for (int64_t k = 0; k < steps_ * kTileDepth; k += kTileDepth, to += kTileBytes) {
        pack_columns(from + query * row + k, row, block.rows - query, job_.width - k, to);
      }
    }
  }

  void attend(Block& block) const {
    for (int j = 0; j < 2; ++j) {
      block.max[j] = _mm512_set1_ps(kNothing);
      block.sum[j] = _mm512_setzero_ps();
    }
    pack_queries(block);
    const int64_t keys = job_.causal ? std::min(keys_, block.first + block.rows) : keys_;
    for (int64_t at = 0; at < keys; at += kKeys) {
      const int64_t cols = std::min(kKeys, keys - at);
      score(at, cols);
      softmax(block, at, cols);
      add_values(at, cols);
    }
    finish(block);
  }

  void score(int64_t at, int64_t cols) const {
    const TilePair q{q_.get(), steps_ * kTileBytes, kTileBytes, 64};
    for (int64_t i = 0; i < cols; i += kTilePair) {
      const char* from = k_.get() + (at + i) / kTileSide * steps_ * kTileBytes;
      multiply_tiles(
          {from, steps_ * kTileBytes, kTileBytes, 64}, q, steps_, false,
          scores_.get() + i * kQueries, kRow);
    }
  }

  void add_values(int64_t at, int64_t cols) const {
    const TilePair weights{reinterpret_cast<const char*>(scores_.get()), 64, 16 * kRow, kRow};
    const int64_t steps = whole_pairs(cols) / kTileDepth;
    for (int64_t v = 0; v < value_rows_; v += kTilePair) {
      const char* from = v_.get() + (v / kTileSide * key_steps_ + at / kTileDepth) * kTileBytes;
      multiply_tiles(
          {from, key_steps_ * kTileBytes, kTileBytes, 64}, weights, steps, at > 0,
          sums_.get() + v * kQueries, kRow);
    }
  }

  // Turns scores into exponentials, as words of two keys in the first half of their memory.
  void softmax(Block& block, int64_t at, int64_t cols) const {
    const bool plain = job_.mask.data == nullptr && cols % kTilePair == 0 &&
        !(job_.causal && at + cols > block.first + 1);
    float scale = job_.scale;
    __m512 max[2];
    if (plain) {
      find_max(cols, scale, max);
    } else {
      mask_scores(block, at, cols, max);
      scale = 1;
    }
    __m512 shift[2], rescale[2];
    for (int j = 0; j < 2; ++j) {
      max[j] = larger(block.max[j], max[j]);
      const __mmask16 some = _mm512_cmp_ps_mask(max[j], _mm512_set1_ps(kNothing), _CMP_NEQ_UQ);
      shift[j] = _mm512_maskz_mul_ps(some, max[j], _mm512_set1_ps(kLog2e));
      rescale[j] = exp2_of(block.max[j] * kLog2e - shift[j]);
      block.max[j] = max[j];
    }
    exponentials(whole_pairs(cols), scale * kLog2e, shift, rescale, block.sum);
    if (at > 0) {
      rescale_sums(rescale);
    }
  }

  // Four maxima at once, since each has to wait for the one before.
  void find_max(int64_t cols, float scale, __m512 (&max)[2]) const {
    __m512 odd[2];
    odd[0] = odd[1] = max[0] = max[1] = _mm512_set1_ps(kNothing);
    const float* x = scores_.get();
    for (int64_t k = 0; k < cols; k += 2, x += 2 * kQueries) {
      max[0] = larger(max[0], _mm512_loadu_ps(x) * scale);
      max[1] = larger(max[1], _mm512_loadu_ps(x + 16) * scale);
      odd[0] = larger(odd[0], _mm512_loadu_ps(x + 32) * scale);
      odd[1] = larger(odd[1], _mm512_loadu_ps(x + 48) * scale);
    }
    max[0] = larger(max[0], odd[0]);
    max[1] = larger(max[1], odd[1]);
  }

  // Scales the scores, adds the mask, and minus infinity to keys that a query may not attend to.
  void mask_scores(const Block& block, int64_t at, int64_t cols, __m512 (&max)[2]) const {
    max[0] = max[1] = _mm512_set1_ps(kNothing);
    const bool masked = job_.mask.data != nullptr;
    if (masked) {
      read_mask(block, at, cols);
    }
    float* x = scores_.get();
    const float* added = mask_.get();
    for (int64_t k = 0; k < whole_pairs(cols); ++k) {
      for (int64_t j = 0; j < 2; ++j, x += 16, added += 16) {
        const int64_t hidden = k >= cols ? 16 : job_.causal ? at + k - block.first - 16 * j : 0;
        const auto seen = static_cast<__mmask16>(0xffffu << std::clamp<int64_t>(hidden, 0, 16));
        __m512 score = _mm512_loadu_ps(x) * job_.scale;
        if (masked) {
          score = score + _mm512_loadu_ps(added);
        }
        score = _mm512_mask_mov_ps(_mm512_set1_ps(kNothing), seen, score);
        _mm512_storeu_ps(x, score);
        max[j] = larger(max[j], score);
      }
    }
  }

  // Copies the transpose of a part of the mask.
  void read_mask(const Block& block, int64_t at, int64_t cols) const {
    const auto& m = job_.mask;
    const float* from =
        m.data + block.batch * m.batch + block.head * m.head + block.first * m.row + at * m.col;
    if (m.col == 1) {
      return copy_transposed(from, m.row, block.rows, cols, mask_.get(), kQueries);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
      for (int64_t k = 0; k < cols; ++k) {
        mask_.get()[k * kQueries + i] = from[i * m.row];
      }
    }
  }

  ROUNDING_UNIT void exponentials(
      int64_t cols, float scale, const __m512 (&shift)[2], const __m512 (&rescale)[2],
      __m512 (&sum)[2]) const {
    const float* x = scores_.get();
    char* to = reinterpret_cast<char*>(scores_.get());
    __m512 total[2] = {sum[0] * rescale[0], sum[1] * rescale[1]};
    for (int64_t k = 0; k < cols; k += 2, x += 2 * kQueries, to += kRow) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const __m512 low = exp2_of(_mm512_loadu_ps(x + 16 * j) * scale - shift[j]);
        const __m512 high = exp2_of(_mm512_loadu_ps(x + 16 * j + kQueries) * scale - shift[j]);
        total[j] = total[j] + (low + high);
        _mm512_storeu_si512(to + 64 * j, joined(low, high));
      }
    }
    sum[0] = total[0];
    sum[1] = total[1];
  }

  void rescale_sums(const __m512 (&factor)[2]) const {
    const __m512 one = _mm512_set1_ps(1.0f);
    if (_mm512_cmp_ps_mask(factor[0], one, _CMP_EQ_OQ) == 0xffff &&
        _mm512_cmp_ps_mask(factor[1], one, _CMP_EQ_OQ) == 0xffff) {
      return;
    }
    float* x = sums_.get();
    for (int64_t i = 0; i < value_rows_; ++i, x += kQueries) {
      _mm512_storeu_ps(x, _mm512_loadu_ps(x) * factor[0]);
      _mm512_storeu_ps(x + 16, _mm512_loadu_ps(x + 16) * factor[1]);
    }
  }

  // Divides by the sums of exponentials and stores the rows of the result.
  void finish(const Block& block) const {
    alignas(64) float lse[kQueries];
    __m512 inverse[2];
    for (int j = 0; j < 2; ++j) {
      const __m512 sum = block.sum[j];
      const __mmask16 some = _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_NEQ_UQ);
      inverse[j] = _mm512_maskz_div_ps(some, _mm512_set1_ps(1.0f), sum);
      const auto log = at::vec::log(reinterpret_cast<Lanes<float>>(sum));
      _mm512_store_ps(
          lse + 16 * j, _mm512_maskz_add_ps(some, block.max[j], reinterpret_cast<__m512>(log)));
    }
    rescale_sums(inverse);
    float* to = job_.lse + block.batch * job_.lse_batch + block.head * job_.lse_head +
        block.first * job_.lse_row;
    for (int64_t i = 0; i < block.rows; ++i) {
      to[i * job_.lse_row] = lse[i];
    }
    float* by_query = sums_.get() + value_rows_ * kQueries;
    copy_transposed(sums_.get(), kQueries, value_rows_, block.rows, by_query, value_rows_);
    auto* out = const_cast<BFloat16*>(head_of(job_.out, block)) + block.first * job_.out.row;
    for (int64_t i = 0; i < block.rows; ++i, out += job_.out.row, by_query += value_rows_) {
      for (int64_t v = 0; v < job_.value_width; v += 16) {
        save_up_to<BFloat16, float>(out + v, load_lanes<float>(by_query + v), job_.value_width - v);
      }
    }
  }

  const TileAttention& job_;
  int64_t keys_;       // that any query may attend to
  int64_t steps_;      // tiles of the width
  int64_t value_rows_; // the width of values, padded
  int64_t key_steps_;  // tiles of keys, as the k of the second product
  Room<char> k_, v_, q_;
  Room<float> scores_, mask_;
  Room<float> sums_; // [value_rows][queries], and room for the transpose
};

void tile_attention(const TileAttention& job, int64_t begin, int64_t end) {
  Attention(job).run(begin, end);
}

#else // has_tile_unit() is false

void tile_attention(const TileAttention&, int64_t, int64_t) {}

#endif

} // namespace

REGISTER_DISPATCH(tile_attention_stub, &tile_attention)

} // namespace CPU_CAPABILITY
} // namespace at::native
