#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <optional>

// The product of quantized layers: rows of unsigned bytes x by columns of signed bytes w, each with
// a zero point, summed exactly in 32 bits:
//
//   sum_k (x[r][k] - p) (w[c][k] - q[c]) = sum_k x w - p sum_k w - q[c] (sum_k x - depth p)
//
// The second sum belongs to the weights and is stored with them. Each result is converted once, to
// float32 or to a byte with a scale and a zero point of its own. Like PyTorch's, sums wrap beyond
// 32 bits, which takes more than 33,000 terms.

namespace at::native {

// Weights are packed in panels of so many columns: [panel][depth / 4][column][4 terms], with zeros
// beyond the columns, and beyond the depth up to a multiple of the tile unit's. All capabilities
// read the same panels. Weights of a depthwise convolution have one panel of [term][column], as
// long as whole registers.
inline constexpr int64_t kBytePanel = 32;
inline constexpr int64_t kByteTerms = 4;
inline constexpr int64_t kByteRegister = 64;
inline constexpr int64_t kByteTileDepth = 64;
inline constexpr int64_t kByteTileRows = 32; // that the tile unit multiplies at once

struct PackedBytes {
  int64_t columns;
  int64_t depth;
  int64_t terms; // kByteTerms, or 1
  int64_t panel; // columns of a panel
  const int8_t* panels;
  const int32_t* sums; // a column sum for every column of the panels

  int64_t panel_count() const { return (columns + panel - 1) / panel; }
  int64_t panel_bytes() const {
    const int64_t multiple = terms == 1 ? 1 : kByteTileDepth;
    return (depth + multiple - 1) / multiple * multiple * panel;
  }
  int64_t all_columns() const { return panel_count() * panel; }
  int64_t bytes() const {
    return panel_count() * panel_bytes() + all_columns() * static_cast<int64_t>(sizeof(int32_t));
  }
};

// What happens to the sums of a column; arrays are as long as whole panels.
//   bytes:   round((sum + bias) * factor) + zero_point, between `least` and 255
//   float32: sum * factor + bias, at least `low`
struct ByteConversion {
  const int32_t* offsets; // added to the sums of products of bytes
  const int32_t* points;  // the zero points of weights, or null if all are zero
  const float* factors;
  const float* biases;
  float low;
  float high;         // 255 - zero_point
  int32_t zero_point; // of 16 bits
  uint8_t least;
  bool to_bytes;
};

// Rows of bytes where they lie, at most kByteRows. A row consists of `taps` pieces of equal length,
// a multiple of kByteTerms unless there is only one: the bytes of its terms, in order. Piece `tap`
// of row `r` is at pieces[tap * kByteRowPitch + r]; pieces of kByteRowRoom more rows may be read.
inline constexpr int64_t kByteRows = 96;
inline constexpr int64_t kByteRowRoom = 16;
inline constexpr int64_t kByteRowPitch = kByteRows + kByteRowRoom;

struct ByteRows {
  int64_t count;
  const uint8_t* const* pieces;
  int64_t taps;
  int64_t offset;          // added to each address
  const int32_t* row_sums; // less depth * p; read if there are zero points of weights
  void* out;               // the first element of the first row
  int64_t out_pitch;       // in elements
  // Which rows the tile unit reads where they lie: `tile_rows` of them, from a multiple of it on,
  // have pieces that are `pitch` bytes apart, and whole multiples of kByteTileDepth bytes of each
  // piece may be read. Both are 0 for other rows.
  int64_t tile_rows, pitch;
};

// Multiplies rows by the panels [first, last).
DECLARE_DISPATCH(
    void (*)(
        const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
        int64_t first, int64_t last),
    byte_product_stub);

// The same by a processor's tile unit, where has_tile_unit(). The depth is not zero.
DECLARE_DISPATCH(
    void (*)(
        const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
        int64_t first, int64_t last),
    tile_byte_product_stub);

// Multiplies each channel by its own weights: term k of a channel lies in piece k of a row.
DECLARE_DISPATCH(
    void (*)(
        const PackedBytes& weights, const ByteConversion& conversion, const ByteRows& rows,
        int32_t zero_point),
    byte_channel_product_stub);

// round(x * inverse_scale + added_before) + added_after, between 0 and 255; NaN becomes 255. The
// argument of round() is rounded once. One of the numbers added is a zero point of 16 bits, the
// other is zero.
DECLARE_DISPATCH(
    void (*)(
        const float* from, int64_t count, float inverse_scale, int32_t added_before,
        int32_t added_after, uint8_t* to),
    quantize_bytes_stub);

// Converts the bytes [first, last): (byte - zero_point) * scale.
DECLARE_DISPATCH(
    void (*)(
        const void* from, bool is_signed, int64_t first, int64_t last, float scale,
        float zero_point, float* to),
    dequantize_bytes_stub);

// The least and the greatest of numbers; NaN if one is NaN.
struct FloatRange {
  float low, high;
};
DECLARE_DISPATCH(FloatRange (*)(const float* from, int64_t count), float_range_stub);

// Returns the zero point of bytes. Raises an error unless it has 16 bits.
int32_t checked_byte_point(int64_t zero_point);

// The parameters of the weights of a layer, and the conversion of its sums.
struct QuantizedWeights {
  const Tensor& packed;
  const Tensor& scales;
  const std::optional<Tensor>& zero_points;
  const std::optional<Tensor>& bias;
};
struct QuantizedInput {
  float scale;
  int32_t zero_point;
};
struct QuantizedOutput {
  float scale;
  int32_t zero_point;
  bool to_bytes; // otherwise float32
  bool relu;
};

// Where the rows of a product come from. Both functions may be called from several threads.
struct ByteSource {
  // Copies `count` rows, `pitch` bytes apart; there is one group.
  using Copy = c10::function_ref<void(int64_t first, int64_t count, uint8_t* to, int64_t pitch)>;
  // Writes the addresses of the pieces of `count` rows, for the first group, as ByteRows has them.
  using Find = c10::function_ref<void(int64_t first, int64_t count, const uint8_t** pieces)>;

  Copy copy; // or, if empty:
  Find find;
  int64_t taps;
  // Those of ByteRows for what `find` finds; rows beyond the last multiple of tile_rows are not
  // read.
  int64_t tile_rows = 0, pitch = 0;
};

// Multiplies all rows by the weights of all groups. Results of a group are adjacent columns of
// `out`. With `by_channel`, each group is one channel, and the source finds pieces.
void quantized_product(
    const QuantizedInput& input, const QuantizedWeights& weights, const QuantizedOutput& output,
    int64_t groups, int64_t rows, int64_t depth, bool by_channel, const ByteSource& source,
    void* out);

// Whether a product of so many rows, and columns and terms of a group, uses the tile unit.
bool is_product_of_tiles(int64_t rows, int64_t columns, int64_t depth);

// Raises an error unless the weights have the given shape; `by_channel` is that of
// quantized_product.
void check_quantized_weights(
    const QuantizedWeights& weights, int64_t groups, int64_t depth, bool by_channel);

} // namespace at::native
