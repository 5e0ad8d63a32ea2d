// bincount and histc.

#include <ATen/core/Tensor.h>

#include <ATen/native/Bins.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/ops/bincount_native.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(histogram_stub);

namespace {

// Adjacent numbers are counted in separate tables, since a count waits for the one before it in the
// same bin.
void count_positions(const int64_t* position, int64_t n, int64_t* counts, int64_t bins) {
  constexpr int64_t kTables = 4, kFewBins = 4096;
  int64_t i = 0;
  if (bins <= kFewBins && n >= 4 * bins) {
    std::vector<int64_t> tables(static_cast<size_t>(kTables * bins));
    int64_t* table = tables.data();
    for (; i + kTables <= n; i += kTables) {
      ++table[position[i]];
      ++table[bins + position[i + 1]];
      ++table[2 * bins + position[i + 2]];
      ++table[3 * bins + position[i + 3]];
    }
    for (int64_t bin = 0; bin < bins; ++bin) {
      counts[bin] = table[bin] + table[bins + bin] + table[2 * bins + bin] + table[3 * bins + bin];
    }
  }
  for (; i < n; ++i) {
    ++counts[position[i]];
  }
}

} // namespace

Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isIntegralType(self.scalar_type(), /*includeBool=*/false),
      "\"bincount_cpu\" not implemented for '", self.scalar_type(), "'");
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  const bool weighted = weights && weights->defined();
  const ScalarType dtype = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  if (self.dim() == 1 && self.numel() == 0) {
    return at::zeros({minlength}, self.options().dtype(kLong));
  }
  TORCH_CHECK(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(
      !weighted || (weights->dim() == 1 && weights->numel() == self.numel()),
      "weights should be 1-d and have the same length as input");
  const Tensor positions = at::methods::to(self, kLong).contiguous();
  const int64_t* position = positions.const_data_ptr<int64_t>();
  const int64_t n = self.numel();
  TORCH_CHECK(
      at::methods::item(at::min(positions)).toLong() >= 0,
      "bincount only supports 1-d non-negative integral inputs.");
  const int64_t bins = std::max(minlength, at::methods::item(at::max(positions)).toLong() + 1);
  Tensor result = at::zeros({bins}, self.options().dtype(dtype));
  if (!weighted) {
    count_positions(position, n, result.mutable_data_ptr<int64_t>(), bins);
    return result;
  }
  const auto count = [&]<typename T>(T* out, const T* weight) {
    for (int64_t i = 0; i < n; ++i) {
      out[position[i]] += weight[i];
    }
  };
  const Tensor factors = at::methods::to(*weights, dtype).contiguous();
  if (dtype == kFloat) {
    count(result.mutable_data_ptr<float>(), factors.const_data_ptr<float>());
  } else {
    count(result.mutable_data_ptr<double>(), factors.const_data_ptr<double>());
  }
  return result;
}

namespace {

// Adjacent numbers are counted in separate tables, as in count_positions. The edges are kept, since
// a bin is a first guess.
template <typename T>
void count_bins(const Tensor& values, const Tensor& counts, T low, T high) {
  const T* data = values.const_data_ptr<T>();
  const int64_t n = values.numel(), size = counts.numel();
  const EqualBins<T> bins{low, high, size};
  constexpr int64_t kTables = 4;
  const int64_t tables = n >= 4 * size ? kTables : 1;
  std::vector<int64_t> found(static_cast<size_t>(tables * size));
  const T scale = static_cast<T>(size) / (high - low);
  if (!std::isfinite(scale) || !std::isfinite(high - low)) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t bin = bins.of(data[i]);
      if (bin >= 0) {
        ++found[bin];
      }
    }
  } else {
    std::vector<T> edges(static_cast<size_t>(size) + 1, std::numeric_limits<T>::infinity());
    for (int64_t i = 0; i < size; ++i) {
      edges[i] = i == 0 ? low : bins.edge(i);
    }
    for (int64_t i = 0; i < n; ++i) {
      const T x = data[i];
      if (x >= low && x <= high) {
        int64_t bin = std::min(static_cast<int64_t>((x - low) * scale), size - 1);
        bin -= static_cast<int64_t>(x < edges[bin]);
        bin += static_cast<int64_t>(x >= edges[bin + 1]);
        ++found[i % tables * size + bin];
      }
    }
  }
  T* count = counts.mutable_data_ptr<T>();
  for (size_t i = 0; i < found.size(); ++i) {
    count[i % static_cast<size_t>(size)] += static_cast<T>(found[i]);
  }
}

void histogram_on_cpu(const Tensor& values, const Tensor& counts, double low, double high) {
  if (values.scalar_type() == kFloat) {
    count_bins<float>(values, counts, static_cast<float>(low), static_cast<float>(high));
  } else {
    count_bins<double>(values, counts, low, high);
  }
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(histogram_stub, &histogram_on_cpu)

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TORCH_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  TORCH_CHECK(
      self.scalar_type() != kByte ||
          (self.numel() != 0 && min.toDouble() >= 0 && max.toDouble() >= 0),
      "value cannot be converted to type uint8_t without overflow");
  TORCH_CHECK(!(min.toDouble() > max.toDouble()), "torch.histc: max must be larger than min");
  if (!self.is_floating_point()) {
    unsupported_dtype("histogram_cpu", self.scalar_type());
  }
  if (c10::isHalfFloatingType(self.scalar_type())) {
    const Tensor wide = at::methods::to(self, kFloat);
    return at::methods::to(native::histc(wide, bins, min, max), self.scalar_type());
  }
  double low = min.toDouble(), high = max.toDouble();
  TORCH_CHECK(
      std::isfinite(low) && std::isfinite(high), "range of [", low, ", ", high, "] is not finite");
  const Tensor values = self.contiguous();
  if (low == high && self.numel() > 0) {
    low = at::methods::item(at::min(values)).toDouble();
    high = at::methods::item(at::max(values)).toDouble();
    TORCH_CHECK(
        std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high,
        "] is not finite");
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  Tensor counts = at::zeros({bins}, self.options());
  histogram_stub(self.device().type(), values, counts, low, high);
  return counts;
}

} // namespace at::native
