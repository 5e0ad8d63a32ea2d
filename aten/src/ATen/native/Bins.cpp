// searchsorted, bucketize, isin, bincount and histc.

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/Bins.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/ops/any.h>
#include <ATen/ops/bincount_native.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/isin_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/searchsorted_native.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(search_stub);
DEFINE_DISPATCH(histogram_stub);

namespace {

// The positions of kTogether numbers, none of them NaN, without branches: the loads of one wait for
// each other, those of several do not.
constexpr int64_t kTogether = 8;
template <bool right, typename T>
void search_together(const T* sorted, int64_t length, const T* values, int64_t* out) {
  const auto precedes = [](T other, T value) { return right ? other <= value : other < value; };
  int64_t low[kTogether] = {};
  int64_t left = length;
  for (; left > 1; left -= left / 2) {
    const int64_t half = left / 2;
    for (int64_t k = 0; k < kTogether; ++k) {
      low[k] += half * static_cast<int64_t>(precedes(sorted[low[k] + half - 1], values[k]));
    }
  }
  for (int64_t k = 0; k < kTogether; ++k) {
    out[k] = low[k] + static_cast<int64_t>(left == 1 && precedes(sorted[low[k]], values[k]));
  }
}

// Searches as many of the `count` values as can go together; returns how many.
template <typename T>
int64_t search_groups(
    const T* sorted, int64_t length, const T* values, int64_t count, bool right, int64_t* out) {
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    bool ordered = true;
    for (int64_t k = 0; k < kTogether; ++k) {
      ordered = ordered && values[i + k] == values[i + k];
    }
    if (!ordered) {
      break;
    }
    right ? search_together<true>(sorted, length, values + i, out + i)
          : search_together<false>(sorted, length, values + i, out + i);
  }
  return i;
}

template <typename T>
void search_rows(const Search& search, int64_t* out) {
  const T* sorted = search.sorted.const_data_ptr<T>();
  const T* values = search.values.const_data_ptr<T>();
  const int64_t* order =
      search.sorter.defined() ? search.sorter.const_data_ptr<int64_t>() : nullptr;
  const int64_t length = search.sorted.size(-1), count = search.values.numel();
  const int64_t width = search.width();
  at::parallel_for(0, count, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i / width * length;
      if (order == nullptr) {
        const int64_t count = std::min(end, (i / width + 1) * width) - i;
        i += search_groups(sorted + start, length, values + i, count, search.right, out + i);
        if (i >= end || i / width * length != start) {
          --i;
          continue;
        }
      }
      out[i] = sorted_position(
          sorted + start, order ? order + start : nullptr, length, values[i], search.right);
    }
  });
}

void search_on_cpu(const Search& search, int64_t* out) {
  switch (search.values.scalar_type()) {
    case kFloat:
      return search_rows<float>(search, out);
    case kDouble:
      return search_rows<double>(search, out);
    default:
      return search_rows<int64_t>(search, out);
  }
}

void check_search(
    const Tensor& sorted, const Tensor& self, std::optional<c10::string_view> side, bool right,
    const Tensor& sorter) {
  if (side) {
    TORCH_CHECK(
        *side == "left" || *side == "right",
        "torch.searchsorted(): side can only be 'left' or "
        "'right' but got ",
        *side);
    TORCH_CHECK(
        !right || *side == "right",
        "torch.searchsorted(): side and right can't be set to opposites, "
        "got side of ",
        *side, " while right was True");
  }
  TORCH_CHECK(
      sorted.device() == self.device(),
      "torch.searchsorted(): boundaries and input value tensors "
      "should have same device type, but got boundaries tensor device type ",
      sorted.device(), " and input value tensor device type ", self.device());
  if (sorter.defined()) {
    TORCH_CHECK(
        sorter.sizes() == sorted.sizes(),
        "torch.searchsorted(): boundary and sorter must have the "
        "same size, but got boundary tensor ",
        sorted.sizes(), "and got sorter tensor ", sorter.sizes());
    TORCH_CHECK(
        sorter.scalar_type() == kLong,
        "torch.searchsorted(): sorter must be a tensor of long dtype "
        "but got dtype ",
        sorter.scalar_type());
  }
  TORCH_CHECK(
      self.dim() != 0 || sorted.dim() == 1,
      "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
      "1, but we got boundaries tensor dim(",
      sorted.dim(), ") and input value's dim(", self.dim(), ") numel(", self.numel(), ")");
  TORCH_CHECK(
      sorted.dim() != 0,
      "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
      "dimension");
  bool fits = sorted.dim() == 1;
  if (!fits && self.dim() == sorted.dim()) {
    fits = self.sizes().slice(0, self.dim() - 1) == sorted.sizes().slice(0, self.dim() - 1);
  }
  TORCH_CHECK(
      fits,
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
      "dimensions of boundaries tensor and input value tensor must match, but we got boundaries "
      "tensor ",
      sorted.sizes(), " and input value tensor ", self.sizes());
}

// float, double and int64 are searched as they are; the other dtypes are widened.
ScalarType search_dtype(ScalarType common) {
  if (common == kFloat || common == kDouble) {
    return common;
  }
  return c10::isFloatingType(common) ? kFloat : kLong;
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(search_stub, &search_on_cpu)

Tensor searchsorted(
    const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter) {
  const Tensor order = sorter.value_or(Tensor());
  check_search(sorted_sequence, self, side, right, order);
  const ScalarType common = at::result_type(sorted_sequence, self);
  Tensor result = at::empty(self.sizes(), self.options().dtype(kLong));
  if (!self.is_meta() && self.numel() != 0) {
    if (common == kBool || c10::isComplexType(common)) {
      unsupported_dtype("searchsorted_out_cpu", common);
    }
    const ScalarType dtype = search_dtype(common);
    const Search search{
        at::methods::to(sorted_sequence, dtype).contiguous(),
        order.defined() ? order.contiguous() : order, at::methods::to(self, dtype).contiguous(),
        right || (side && *side == "right")};
    search_stub(self.device().type(), search, result.mutable_data_ptr<int64_t>());
  }
  return out_int32 ? at::methods::to(result, kInt) : result;
}

namespace {

// A number as a tensor, with the dtype of `sorted` unless this cannot hold numbers of its kind.
Tensor as_value(const Scalar& number, const Tensor& sorted) {
  ScalarType dtype = sorted.scalar_type();
  if (number.isFloatingPoint() && !sorted.is_floating_point()) {
    dtype = kFloat;
  } else if (dtype == kBool && !number.isBoolean()) {
    dtype = kLong;
  }
  return at::scalar_tensor(number, sorted.options().dtype(dtype));
}

} // namespace

Tensor searchsorted(
    const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right,
    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter) {
  return native::searchsorted(
      sorted_sequence, as_value(self, sorted_sequence), out_int32, right, side, sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(
      boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(",
      boundaries.dim(), ")");
  return native::searchsorted(boundaries, self, out_int32, right, std::nullopt, std::nullopt);
}

Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  return native::bucketize(as_value(self, boundaries), boundaries, out_int32, right);
}

// ---- isin ------------------------------------------------------------------------------------

namespace {

void check_isin(ScalarType dtype) {
  TORCH_CHECK(
      dtype != kBool && !c10::isComplexType(dtype),
      "Unsupported input type encountered for isin(): ", dtype);
}

} // namespace

Tensor isin(
    const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/, bool invert) {
  check_isin(elements.scalar_type());
  check_isin(test_elements.scalar_type());
  Tensor found;
  // Few candidates are compared directly, all at once or one after another; many are sorted.
  constexpr int64_t kFewPairs = 4096, kFewCandidates = 16;
  const int64_t candidates = test_elements.numel();
  if (elements.numel() * candidates <= kFewPairs) {
    found = at::any(at::eq(at::unsqueeze(elements, -1), at::reshape(test_elements, {-1})), -1);
  } else if (candidates <= kFewCandidates) {
    const ScalarType dtype = c10::promoteTypes(elements.scalar_type(), test_elements.scalar_type());
    const Tensor values = at::methods::to(elements, dtype);
    const Tensor tested = at::methods::to(at::reshape(test_elements, {-1}), dtype);
    found = at::eq(values, at::narrow(tested, 0, 0, 1));
    for (int64_t i = 1; i < candidates; ++i) {
      at::methods::logical_or_(found, at::eq(values, at::narrow(tested, 0, i, 1)));
    }
  } else {
    const Tensor sorted = std::get<0>(at::sort(at::reshape(test_elements, {-1})));
    Tensor position = at::searchsorted(sorted, elements);
    position = at::clamp(position, std::nullopt, Scalar(sorted.numel() - 1));
    found = at::eq(
        at::reshape(at::index_select(sorted, 0, at::reshape(position, {-1})), elements.sizes()),
        elements);
  }
  return invert ? at::logical_not(found) : found;
}

Tensor isin(
    const Tensor& elements, const Scalar& test_element, bool /*assume_unique*/, bool invert) {
  check_isin(elements.scalar_type());
  check_isin(test_element.type());
  return invert ? at::ne(elements, test_element) : at::eq(elements, test_element);
}

Tensor isin(
    const Scalar& element, const Tensor& test_elements, bool /*assume_unique*/, bool invert) {
  check_isin(element.type());
  check_isin(test_elements.scalar_type());
  const Tensor found = at::any(at::eq(test_elements, element));
  return invert ? at::logical_not(found) : found;
}

// ---- counts ----------------------------------------------------------------------------------

namespace {

// Adjacent numbers count in tables of their own, since a count waits for the one before it in the
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

// Adjacent numbers count in tables of their own, as in count_positions. The edges are kept, since a
// bin is a first guess.
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
  TORCH_CHECK(low <= high, "torch.histc: max must be larger than min");
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
