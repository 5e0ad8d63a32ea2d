// Linear maps and convolutions of quantized tensors: each fills rows of bytes for one product.

#include <ATen/native/QuantizationParameters.h>
#include <ATen/native/QuantizedProduct.h>
#include <ATen/native/TileUnit.h>

#include <ATen/Parallel.h>
#include <ATen/ops/_quantized_linear_dynamic_for_cpu_native.h>
#include <ATen/ops/_quantized_linear_for_cpu_native.h>
#include <ATen/ops/_quantized_pack_for_cpu_native.h>
#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/irange.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(byte_product_stub);
DEFINE_DISPATCH(tile_byte_product_stub);
DEFINE_DISPATCH(byte_channel_product_stub);

namespace {

// The bytes of panels that should stay in the second-level cache while rows are multiplied.
constexpr int64_t kPanelBytesTogether = 512 << 10;
// Products that are worth another thread.
constexpr int64_t kProductsPerThread = 1 << 20;
// The tile unit multiplies about eight times as fast, but its sums are converted no faster.
constexpr int64_t kTileProductsPerThread = 1 << 22;
// With fewer rows, reading the weights takes most of the time.
constexpr int64_t kLeastTileRows = 8;
// For fewer columns, gathering the rows does.
constexpr int64_t kLeastTileColumns = 17;

int64_t up_to_multiple(int64_t value, int64_t of) {
  return at::divup(value, of) * of;
}

// ---- packed weights -----------------------------------------------------------------------------

PackedBytes packed_shape(int64_t columns, int64_t depth, bool by_channel = false) {
  const int64_t terms = by_channel ? 1 : kByteTerms;
  const int64_t panel =
      by_channel ? up_to_multiple(std::max<int64_t>(columns, 1), kByteRegister) : kBytePanel;
  return {columns, depth, terms, panel, nullptr, nullptr};
}

PackedBytes packed_group(const Tensor& packed, const PackedBytes& shape, int64_t group) {
  PackedBytes found = shape;
  found.panels = packed.const_data_ptr<int8_t>() + group * shape.bytes();
  found.sums =
      reinterpret_cast<const int32_t*>(found.panels + found.panel_count() * found.panel_bytes());
  return found;
}

void pack_group(const int8_t* weight, const PackedBytes& shape, int8_t* to) {
  std::memset(to, 0, shape.bytes());
  auto* const sums = reinterpret_cast<int32_t*>(to + shape.panel_count() * shape.panel_bytes());
  for (const auto column : c10::irange(shape.columns)) {
    int8_t* place =
        to + column / shape.panel * shape.panel_bytes() + column % shape.panel * shape.terms;
    const int8_t* from = weight + column * shape.depth;
    int32_t sum = 0;
    for (int64_t k = 0; k < shape.depth; k += shape.terms, place += shape.panel * shape.terms) {
      for (int64_t i = 0; i < std::min(shape.terms, shape.depth - k); ++i) {
        place[i] = from[k + i];
        sum += from[k + i];
      }
    }
    sums[column] = sum;
  }
}

// ---- the conversion of sums ---------------------------------------------------------------------

// The parameters of all columns of a group, in whole panels.
class ColumnParameters {
 public:
  ColumnParameters(
      const QuantizedInput& input, const QuantizedWeights& weights, const QuantizedOutput& output,
      const PackedBytes& packed, int64_t group)
      : columns_(packed.all_columns()),
        offsets_(columns_),
        points_(weights.zero_points.has_value() ? columns_ : 0),
        numbers_(2 * columns_) {
    const int64_t first = group * packed.columns;
    const float* const scales = weights.scales.const_data_ptr<float>() + first;
    const int32_t* const points =
        points_.empty() ? nullptr : weights.zero_points->const_data_ptr<int32_t>() + first;
    const float* const bias =
        weights.bias.has_value() ? weights.bias->const_data_ptr<float>() + first : nullptr;
    for (const auto c : c10::irange(packed.columns)) {
      offsets_[c] = -input.zero_point * packed.sums[c];
      if (points != nullptr) {
        points_[c] = points[c];
      }
      const float unit = input.scale * scales[c];
      const float added = bias == nullptr ? 0.0f : bias[c];
      numbers_[c] = output.to_bytes ? unit / output.scale : unit;
      numbers_[columns_ + c] = output.to_bytes ? added / unit : added;
    }
    const int32_t point = output.zero_point;
    conversion_ = {
        .offsets = offsets_.data(),
        .points = points == nullptr ? nullptr : points_.data(),
        .factors = numbers_.data(),
        .biases = numbers_.data() + columns_,
        .low = output.relu ? 0.0f : -std::numeric_limits<float>::infinity(),
        .high = static_cast<float>(255 - point),
        .zero_point = point,
        .least = static_cast<uint8_t>(output.relu ? std::clamp(point, 0, 255) : 0),
        .to_bytes = output.to_bytes};
  }

  const ByteConversion& conversion() const { return conversion_; }

 private:
  int64_t columns_;
  std::vector<int32_t> offsets_, points_;
  std::vector<float> numbers_; // factors, then biases
  ByteConversion conversion_;
};

// ---- the product --------------------------------------------------------------------------------

class QuantizedProduct {
 public:
  QuantizedProduct(
      const QuantizedInput& input, const QuantizedWeights& weights, const QuantizedOutput& output,
      int64_t groups, int64_t depth, bool by_channel, const ByteSource& source, void* out)
      : input_(input),
        source_(source),
        by_channel_(by_channel),
        width_(depth / source.taps),
        out_pitch_(weights.scales.numel()),
        element_(output.to_bytes ? 1 : sizeof(float)),
        out_(static_cast<char*>(out)) {
    const int64_t parts = by_channel ? 1 : groups;
    shape_ = packed_shape(out_pitch_ / parts, depth, by_channel);
    for (const auto part : c10::irange(parts)) {
      parts_.push_back(packed_group(weights.packed, shape_, part));
      parameters_.push_back(
          std::make_unique<ColumnParameters>(input, weights, output, parts_.back(), part));
    }
  }

  // Splits the rows, or the panels where there are few rows.
  void run_in_parallel(int64_t rows) {
    const int64_t panels = shape_.panel_count();
    by_tiles_ = !by_channel_ && is_product_of_tiles(rows, shape_.columns, shape_.depth);
    if (by_tiles_) {
      tile_rows_ = source_.copy ? kByteTileRows / 2 : source_.tile_rows;
      pitch_ = source_.copy ? copy_pitch() : source_.pitch;
    }
    // Reading the weights takes as long as multiplying a few rows.
    const int64_t work = std::max<int64_t>(rows, 4) * out_pitch_ * shape_.depth;
    const int64_t least = by_channel_ ? kProductsPerThread / 8
        : by_tiles_                   ? kTileProductsPerThread
                                      : kProductsPerThread;
    const int64_t threads = std::clamp<int64_t>(work / least, 1, at::get_num_threads());
    const bool few_rows = rows < 2 * kByteRowRoom * threads;
    if (few_rows && panels >= threads && parts_.size() == 1 && !by_channel_) {
      at::parallel_for(0, panels, at::divup(panels, threads), [&](int64_t first, int64_t last) {
        run(0, rows, first, last);
      });
      return;
    }
    const int64_t unit = !by_tiles_ ? kByteRowRoom
        : tile_rows_ > 0            ? 2 * tile_rows_
                                    : kByteTileRows;
    const int64_t grain = up_to_multiple(at::divup(rows, threads), unit);
    const int64_t tasks = at::divup(rows, grain);
    at::parallel_for(0, tasks, threads == 1 ? tasks : 1, [&](int64_t begin, int64_t end) {
      run(begin * grain, std::min(rows, end * grain), 0, panels);
    });
  }

 private:
  // An odd number of cache lines, so that rows do not compete for the same sets.
  int64_t copy_pitch() const { return (at::divup(shape_.depth, 64) | 1) * 64; }

  // A multiple of the rows of two tiles.
  int64_t rows_together() const {
    return tile_rows_ == 0 ? kByteRows : kByteRows / (2 * tile_rows_) * (2 * tile_rows_);
  }

  // The rows to multiply next: whole tiles, or less than one.
  int64_t next_count(int64_t left) const {
    const int64_t count = std::min(rows_together(), left);
    const bool exact = tile_rows_ != 0 && !source_.copy && count > tile_rows_;
    return exact ? count / tile_rows_ * tile_rows_ : count;
  }

  void run(int64_t begin, int64_t end, int64_t first, int64_t last) const {
    const int64_t copied_rows = source_.copy ? std::min(kByteRows, end - begin) + kByteRowRoom : 0;
    const c10::DataPtr room = c10::GetCPUAllocator()->allocate(copied_rows * copy_pitch());
    auto* const copies = static_cast<uint8_t*>(room.get());
    std::vector<const uint8_t*> pieces(source_.taps * kByteRowPitch);
    if (source_.copy) {
      for (const auto r : c10::irange(copied_rows)) {
        pieces[r] = copies + r * copy_pitch();
      }
    }
    const int64_t step = at::divup(kPanelBytesTogether, shape_.panel_bytes() + 1);
    for (int64_t panel = first; panel < last; panel += step) {
      for (int64_t row = begin, count = 0; row < end; row += count) {
        count = next_count(end - row);
        if (source_.copy) {
          copy(row, count, copies);
        } else {
          source_.find(row, count, pieces.data());
          for (const auto tap : c10::irange(source_.taps)) {
            std::fill_n(&pieces[tap * kByteRowPitch + count], kByteRowRoom, pieces[0]);
          }
        }
        for (const auto part : c10::irange(static_cast<int64_t>(parts_.size()))) {
          multiply(part, row, count, pieces.data(), panel, std::min(last, panel + step));
        }
      }
    }
  }

  void copy(int64_t row, int64_t count, uint8_t* to) const {
    const int64_t depth = shape_.depth;
    source_.copy(row, count, to, copy_pitch());
    for (const auto r : c10::irange(count)) {
      std::memset(to + r * copy_pitch() + depth, 0, up_to_multiple(depth, kByteTerms) - depth);
    }
  }

  void multiply(
      int64_t part, int64_t row, int64_t count, const uint8_t* const* pieces, int64_t first,
      int64_t last) const {
    const ByteConversion& conversion = parameters_[part]->conversion();
    std::array<int32_t, kByteRows> sums{}; // some of rows beyond the last are read
    const ByteRows rows{count,        pieces,
                        source_.taps, part * width_,
                        sums.data(),  out_ + (row * out_pitch_ + part * shape_.columns) * element_,
                        out_pitch_,   source_.copy ? tile_rows_ : std::min(tile_rows_, count),
                        pitch_};
    if (by_channel_) {
      return byte_channel_product_stub.on_host(parts_[part], conversion, rows, input_.zero_point);
    }
    if (conversion.points != nullptr) {
      for (const auto r : c10::irange(count)) {
        sums[r] = row_sum(pieces + r, rows.offset);
      }
    }
    if (by_tiles_) {
      tile_byte_product_stub.on_host(parts_[part], conversion, rows, first, last);
    } else {
      byte_product_stub.on_host(parts_[part], conversion, rows, first, last);
    }
  }

  int32_t row_sum(const uint8_t* const* pieces, int64_t offset) const {
    int32_t sum = 0;
    for (const auto tap : c10::irange(source_.taps)) {
      for (const auto k : c10::irange(width_)) {
        sum += pieces[tap * kByteRowPitch][offset + k] - input_.zero_point;
      }
    }
    return sum;
  }

  QuantizedInput input_;
  const ByteSource& source_;
  bool by_channel_, by_tiles_ = false;
  int64_t tile_rows_ = 0, pitch_ = 0; // those of ByteRows
  int64_t width_;                     // bytes in a piece
  int64_t out_pitch_, element_;
  char* out_;
  PackedBytes shape_;
  std::vector<PackedBytes> parts_; // one for each group, but one for all channels
  std::vector<std::unique_ptr<ColumnParameters>> parameters_;
};

Tensor bytes_of(const Tensor& input) {
  TORCH_CHECK(
      input.scalar_type() == ScalarType::Byte, "expected an input of dtype uint8, got ",
      input.scalar_type());
  return input.contiguous();
}

} // namespace

bool is_product_of_tiles(int64_t rows, int64_t columns, int64_t depth) {
  return depth > 0 && rows >= kLeastTileRows && columns >= kLeastTileColumns && has_tile_unit();
}

void check_quantized_weights(
    const QuantizedWeights& weights, int64_t groups, int64_t depth, bool by_channel) {
  const int64_t columns = weights.scales.numel();
  const PackedBytes shape =
      by_channel ? packed_shape(columns, depth, true) : packed_shape(columns / groups, depth);
  const int64_t bytes = shape.bytes() * (by_channel ? 1 : groups);
  TORCH_CHECK(
      weights.packed.numel() == bytes && weights.packed.scalar_type() == ScalarType::Char,
      "expected packed weights of ", columns, " columns with ", depth, " terms in ", groups,
      " groups: ", bytes, " bytes, got ", weights.packed.numel());
  const auto check = [&](const std::optional<Tensor>& t, ScalarType dtype, const char* name) {
    TORCH_CHECK(
        !t.has_value() ||
            (t->numel() == columns && t->scalar_type() == dtype && t->is_contiguous()),
        "expected ", columns, " adjacent ", name, " of dtype ", dtype);
  };
  check(weights.scales, ScalarType::Float, "scales");
  check(weights.zero_points, ScalarType::Int, "zero points");
  check(weights.bias, ScalarType::Float, "biases");
}

void quantized_product(
    const QuantizedInput& input, const QuantizedWeights& weights, const QuantizedOutput& output,
    int64_t groups, int64_t rows, int64_t depth, bool by_channel, const ByteSource& source,
    void* out) {
  if (rows > 0 && weights.scales.numel() > 0) {
    QuantizedProduct(input, weights, output, groups, depth, by_channel, source, out)
        .run_in_parallel(rows);
  }
}

// ---- operators ----------------------------------------------------------------------------------

Tensor _quantized_pack_for_cpu(const Tensor& weight, int64_t groups, bool by_channel) {
  TORCH_CHECK(
      weight.dim() == 2 && weight.scalar_type() == ScalarType::Char,
      "expected a weight of dtype int8 and two dimensions, got ", weight.scalar_type(), " and ",
      weight.dim());
  TORCH_CHECK(
      groups > 0 && weight.size(0) % groups == 0, "expected a multiple of ", groups,
      " columns, got ", weight.size(0));
  const int64_t parts = by_channel ? 1 : groups;
  const PackedBytes shape = packed_shape(weight.size(0) / parts, weight.size(1), by_channel);
  const Tensor packed = at::empty({parts * shape.bytes()}, weight.options());
  if (!weight.is_meta()) {
    const Tensor rows = weight.contiguous();
    for (const auto part : c10::irange(parts)) {
      pack_group(
          rows.const_data_ptr<int8_t>() + part * shape.columns * shape.depth, shape,
          packed.mutable_data_ptr<int8_t>() + part * shape.bytes());
    }
  }
  return packed;
}

namespace {

Tensor linear_result(const Tensor& input, int64_t columns, ScalarType dtype) {
  TORCH_CHECK(input.dim() > 0, "expected an input with at least one dimension");
  auto sizes = input.sizes().vec();
  sizes.back() = columns;
  return at::empty(sizes, input.options().dtype(dtype));
}

int64_t rows_of(const Tensor& result, int64_t columns) {
  return columns == 0 ? 0 : result.numel() / columns;
}

} // namespace

Tensor _quantized_linear_for_cpu(
    const Tensor& input, double scale, int64_t zero_point, const Tensor& packed,
    const Tensor& weight_scales, const std::optional<Tensor>& weight_zero_points,
    const std::optional<Tensor>& bias, double output_scale, int64_t output_zero_point, bool relu) {
  const Tensor bytes = bytes_of(input);
  const int64_t columns = weight_scales.numel();
  const Tensor result = linear_result(bytes, columns, ScalarType::Byte);
  const int64_t depth = input.size(-1);
  const QuantizedWeights weights{packed, weight_scales, weight_zero_points, bias};
  check_quantized_weights(weights, 1, depth, false);
  if (input.is_meta()) {
    return result;
  }
  const auto* const data = bytes.const_data_ptr<uint8_t>();
  const auto copy = [&](int64_t first, int64_t count, uint8_t* to, int64_t pitch) {
    for (int64_t r = 0; r < count; ++r, to += pitch) {
      std::memcpy(to, data + (first + r) * depth, depth);
    }
  };
  quantized_product(
      {static_cast<float>(scale), static_cast<int32_t>(zero_point)}, weights,
      {static_cast<float>(output_scale), checked_byte_point(output_zero_point), true, relu}, 1,
      rows_of(result, columns), depth, false, {copy, nullptr, 1}, result.mutable_data_ptr());
  return result;
}

Tensor _quantized_linear_dynamic_for_cpu(
    const Tensor& input, const Tensor& packed, const Tensor& weight_scales,
    const std::optional<Tensor>& weight_zero_points, const std::optional<Tensor>& bias,
    bool reduce_range, bool relu) {
  TORCH_CHECK(
      input.scalar_type() == ScalarType::Float, "expected an input of dtype float32, got ",
      input.scalar_type());
  const Tensor numbers = input.contiguous();
  const int64_t columns = weight_scales.numel();
  const Tensor result = linear_result(numbers, columns, ScalarType::Float);
  const int64_t depth = input.size(-1);
  const QuantizedWeights weights{packed, weight_scales, weight_zero_points, bias};
  check_quantized_weights(weights, 1, depth, false);
  if (input.is_meta()) {
    return result;
  }
  const auto* const data = numbers.const_data_ptr<float>();
  const FloatRange range =
      numbers.numel() == 0 ? FloatRange{0, 0} : float_range_stub.on_host(data, numbers.numel());
  const ByteParameters chosen = byte_parameters(range.low, range.high, reduce_range ? 127 : 255);
  const auto scale = static_cast<float>(chosen.scale);
  const auto copy = [&](int64_t first, int64_t count, uint8_t* to, int64_t pitch) {
    for (int64_t r = 0; r < count; ++r, to += pitch) {
      const float* const from = data + (first + r) * depth;
      quantize_bytes_stub.on_host(from, depth, 1.0f / scale, chosen.zero_point, 0, to);
    }
  };
  quantized_product(
      {scale, chosen.zero_point}, weights, {1.0f, 0, false, relu}, 1, rows_of(result, columns),
      depth, false, {copy, nullptr, 1}, result.mutable_data_ptr());
  return result;
}

} // namespace at::native
