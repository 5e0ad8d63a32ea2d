// kthvalue, median, nanmedian, mode, quantile and nanquantile.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/OrderStatistics.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/SortRows.h>
#include <ATen/ops/all.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/ceil.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/kthvalue_native.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/item.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/median_native.h>
#include <ATen/ops/mode_native.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/nanmedian_native.h>
#include <ATen/ops/nanquantile_native.h>
#include <ATen/ops/quantile_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/round.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace at::native {

DEFINE_DISPATCH(order_statistic_stub);

namespace {

using Selected = std::tuple<Tensor, Tensor>;

const SortCodec* codec_of(ScalarType dtype, const char* name) {
  const SortCodec* codec = sort_codec_stub(kCPU, dtype);
  if (codec == nullptr) {
    unsupported_dtype(name, dtype);
  }
  return codec;
}

// The rows along one dimension, contiguous, and results with one element for each.
struct Rows {
  Rows(const Tensor& self, int64_t dim, bool keepdim, const char* name)
      : data(at::transpose(self.dim() == 0 ? at::unsqueeze(self, 0) : self, dim, -1).contiguous()),
        codec(codec_of(self.scalar_type(), name)) {
    length = data.size(-1);
    DimVector shape(self.sizes());
    if (!shape.empty()) {
      shape[dim] = 1;
    }
    values = at::empty(shape, self.options());
    indices = at::empty(shape, self.options().dtype(kLong));
    // The elements in the order of the rows of `data`.
    flat_values = at::empty({values.numel()}, self.options());
    flat_indices = at::empty({values.numel()}, indices.options());
    drop = !keepdim && self.dim() > 0;
    axis = dim;
  }

  // Chooses in the rows of another device; returns false if they are on the CPU.
  bool choose_on_device(OrderStatistic which, int64_t k) const {
    if (data.is_cpu()) {
      return false;
    }
    if (!data.is_meta()) {
      order_statistic_stub(data.device().type(), which, k, data, flat_values, flat_indices);
    }
    return true;
  }

  // Calls `choose(row)` for the position in each row.
  template <class F>
  void for_each(const F& choose) const {
    const auto size = static_cast<int64_t>(data.element_size());
    const auto* in = static_cast<const char*>(data.const_data_ptr());
    auto* out = static_cast<char*>(flat_values.mutable_data_ptr());
    auto* index = flat_indices.mutable_data_ptr<int64_t>();
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / 8 / std::max<int64_t>(length, 1));
    at::parallel_for(0, values.numel(), grain, [&](int64_t begin, int64_t end) {
      SortScratch scratch;
      for (int64_t r = begin; r < end; ++r) {
        const char* row = in + r * length * size;
        index[r] = choose(row, r, scratch);
        std::memcpy(out + r * size, row + index[r] * size, static_cast<size_t>(size));
      }
    });
  }

  Selected results() const {
    const auto placed = [&](const Tensor& flat) {
      DimVector turned(values.sizes());
      if (!turned.empty()) {
        std::swap(turned[axis], turned.back());
        const Tensor whole = at::transpose(at::methods::view(flat, turned), axis, -1);
        const Tensor result = at::squeeze(whole, axis).contiguous();
        return drop ? result : at::unsqueeze(result, axis);
      }
      return at::reshape(flat, {});
    };
    return {placed(flat_values), placed(flat_indices)};
  }

  Tensor data;
  const SortCodec* codec;
  int64_t length = 0;
  Tensor values, indices, flat_values, flat_indices;
  bool drop = false;
  int64_t axis = 0;
};

// The position of the element that sorting would put at place k.
int64_t select_position(
    const SortCodec& codec, const void* row, int64_t n, int64_t k, SortScratch& scratch) {
  if (codec.key_bits <= 32) {
    uint64_t* keys = scratch.words(n);
    codec.pack(row, 1, n, false, keys);
    select_key(keys, k, n);
    return static_cast<int64_t>(keys[k] & 0xffffffff);
  }
  auto* keys = reinterpret_cast<WideKey*>(scratch.words(2 * n));
  codec.widen(row, 1, n, false, keys);
  select_key(keys, k, n);
  return static_cast<int64_t>(keys[k].index);
}

void check_not_empty(const Tensor& self, int64_t dim, const char* name) {
  TORCH_CHECK_INDEX(
      self.dim() == 0 || self.size(dim) != 0, name, ": Expected reduction dim ", dim,
      " to have non-zero size.");
}

// How many elements of a row are NaN, and the first of them.
struct Missing {
  int64_t count = 0, first = -1;
};
template <typename T>
Missing missing_in(const void* row, int64_t n) {
  Missing result;
  const T* from = static_cast<const T*>(row);
  for (int64_t i = 0; i < n; ++i) {
    result.count += static_cast<int64_t>(from[i] != from[i]);
  }
  if (result.count != 0) {
    result.first = std::find_if(from, from + n, [](T x) { return x != x; }) - from;
  }
  return result;
}
Missing missing_in(ScalarType dtype, const void* row, int64_t n) {
  switch (dtype) {
    case kFloat:
      return missing_in<float>(row, n);
    case kDouble:
      return missing_in<double>(row, n);
    case kHalf:
      return missing_in<c10::Half>(row, n);
    case kBFloat16:
      return missing_in<c10::BFloat16>(row, n);
    default:
      return {};
  }
}

// The position of the median of a row: the lower one of two, and the first NaN unless ignored.
int64_t median_position(
    const SortCodec& codec, ScalarType dtype, const void* row, int64_t n, bool ignore_nan,
    SortScratch& scratch) {
  const Missing missing = missing_in(dtype, row, n);
  if (missing.count != 0 && (!ignore_nan || missing.count == n)) {
    return missing.first;
  }
  return select_position(codec, row, n, (n - missing.count - 1) / 2, scratch);
}

Selected median_rows(const Tensor& self, int64_t dim, bool keepdim, bool ignore_nan) {
  const int64_t axis = c10::maybe_wrap_dim(dim, self.dim());
  check_not_empty(self, axis, "median()");
  if (self.scalar_type() == kBool) {
    unsupported_dtype("median_cpu", kBool);
  }
  const Rows rows(self, axis, keepdim, "median_cpu");
  if (rows.choose_on_device(ignore_nan ? OrderStatistic::NanMedian : OrderStatistic::Median, 0)) {
    return rows.results();
  }
  const ScalarType dtype = self.scalar_type();
  rows.for_each([&](const char* row, int64_t, SortScratch& scratch) {
    return median_position(*rows.codec, dtype, row, rows.length, ignore_nan, scratch);
  });
  return rows.results();
}

// NaN, or an integer dtype's least number.
Scalar median_of_nothing(ScalarType dtype) {
  if (!c10::isIntegralType(dtype, /*includeBool=*/false)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return AT_DISPATCH_INTEGRAL_TYPES(
      dtype, "median_cpu", [] { return Scalar(std::numeric_limits<scalar_t>::lowest()); });
}

Tensor median_of_all(const Tensor& self, bool ignore_nan) {
  if (self.numel() == 0) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        self.scalar_type() != kBool, "\"median_cpu\" not implemented for 'Bool'");
    return at::scalar_tensor(median_of_nothing(self.scalar_type()), self.options());
  }
  const ScalarType dtype = self.scalar_type();
  if (!self.is_cpu() || dtype == kBool) {
    return std::get<0>(median_rows(at::reshape(self, {-1}), 0, false, ignore_nan));
  }
  const Tensor row = self.contiguous();
  const auto* data = static_cast<const char*>(row.const_data_ptr());
  SortScratch scratch;
  const int64_t position = median_position(
      *codec_of(dtype, "median_cpu"), dtype, data, row.numel(), ignore_nan, scratch);
  Tensor result = at::empty({}, self.options());
  const auto size = static_cast<int64_t>(row.element_size());
  std::memcpy(result.mutable_data_ptr(), data + position * size, static_cast<size_t>(size));
  return result;
}

} // namespace

namespace {

Selected only_element(const Tensor& self) {
  return {at::clone(self), at::zeros(self.sizes(), self.options().dtype(kLong))};
}

void refuse_bool(const Tensor& self, const char* name) {
  if (self.scalar_type() == kBool) {
    unsupported_dtype(name, kBool);
  }
}

} // namespace

Selected kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  const int64_t axis = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t n = self.dim() == 0 ? 1 : self.size(axis);
  check_not_empty(self, axis, "kthvalue()");
  TORCH_CHECK(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension ", axis);
  if (self.dim() == 0) {
    return only_element(self);
  }
  refuse_bool(self, "kthvalue_cpu");
  const Rows rows(self, axis, keepdim, "kthvalue_cpu");
  if (!rows.choose_on_device(OrderStatistic::Kth, k - 1)) {
    rows.for_each([&](const char* row, int64_t, SortScratch& scratch) {
      return select_position(*rows.codec, row, n, k - 1, scratch);
    });
  }
  return rows.results();
}

Selected median(const Tensor& self, int64_t dim, bool keepdim) {
  return median_rows(self, dim, keepdim, false);
}

Tensor median(const Tensor& self) {
  return median_of_all(self, false);
}

Selected nanmedian(const Tensor& self, int64_t dim, bool keepdim) {
  return median_rows(self, dim, keepdim, true);
}

Tensor nanmedian(const Tensor& self) {
  return median_of_all(self, true);
}

// The most frequent element, the least one of several, at its last position.
Selected mode(const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t axis = c10::maybe_wrap_dim(dim, self.dim());
  check_not_empty(self, axis, "mode()");
  if (self.dim() == 0) {
    return only_element(self);
  }
  const Rows rows(self, axis, keepdim, "mode_cpu");
  const int64_t n = rows.length;
  if (!rows.choose_on_device(OrderStatistic::Mode, 0)) {
    const auto best = [n](const auto* keys, const auto& key_of, const auto& index_of) {
      int64_t longest = 0, chosen = 0;
      for (int64_t i = 0, run = 0; i < n; ++i) {
        run = i > 0 && key_of(keys[i]) == key_of(keys[i - 1]) ? run + 1 : 1;
        if (run > longest) {
          longest = run;
          chosen = i;
        }
      }
      return index_of(keys[chosen]);
    };
    rows.for_each([&](const char* row, int64_t, SortScratch& scratch) -> int64_t {
      if (rows.codec->key_bits <= 32) {
        uint64_t* keys = scratch.words(2 * n);
        rows.codec->pack(row, 1, n, false, keys);
        return best(
            sort_keys(keys, keys + n, n), [](uint64_t key) { return key >> 32; },
            [](uint64_t key) { return static_cast<int64_t>(key & 0xffffffff); });
      }
      auto* keys = reinterpret_cast<WideKey*>(scratch.words(4 * n));
      rows.codec->widen(row, 1, n, false, keys);
      return best(
          sort_keys(keys, keys + n, n), [](const WideKey& key) { return key.key; },
          [](const WideKey& key) { return static_cast<int64_t>(key.index); });
    });
  }
  return rows.results();
}

// ---- quantiles -------------------------------------------------------------------------------

namespace {

void check_quantile(const Tensor& self, const Tensor& q, c10::string_view interpolation) {
  TORCH_CHECK(
      interpolation == "linear" || interpolation == "lower" || interpolation == "higher" ||
          interpolation == "midpoint" || interpolation == "nearest",
      "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
      "got ",
      interpolation);
  TORCH_CHECK(self.numel() > 0, "quantile() input tensor must be non-empty");
  TORCH_CHECK(q.dim() <= 1, "quantile() q must be a scalar or 1D tensor");
  TORCH_CHECK(
      self.scalar_type() == kFloat || self.scalar_type() == kDouble,
      "quantile() input tensor must be either float or double dtype");
  TORCH_CHECK(
      self.scalar_type() == q.scalar_type(),
      "quantile() q tensor must be same dtype as the input tensor");
  TORCH_CHECK(
      self.device() == q.device(),
      "quantile() q tensor must be on the same device as the input tensor");
}

Tensor quantile_of(
    const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation, bool ignore_nan) {
  check_quantile(self, q, interpolation);
  const int64_t axis = c10::maybe_wrap_dim(dim.value_or(0), self.dim());
  const Tensor flat = at::reshape(q, {-1});
  TORCH_CHECK(
      !q.is_cpu() || q.unsafeGetTensorImpl()->is_python_dispatch() ||
          at::methods::item(at::all(at::logical_and(flat >= 0, flat <= 1))).toBool(),
      "quantile() q values must be in the range [0, 1]");
  const bool whole = !dim || self.dim() == 0;
  // The reduced dimension keeps size 1, and its elements come last.
  const Tensor rows =
      whole ? at::reshape(self, {-1}) : at::transpose(at::unsqueeze(self, -1), axis, -1);
  const Tensor sorted = std::get<0>(at::sort(rows));
  const Tensor last = at::select(sorted, -1, -1);
  const int64_t n = sorted.size(-1);
  // The place of each quantile among the elements that count; of NaN, the place of the last one.
  Tensor place;
  if (ignore_nan) {
    const Tensor valid = at::sum(at::logical_not(at::isnan(sorted)), -1, true);
    place = flat * at::methods::to(valid - 1, self.scalar_type());
    place = at::where(place < 0, at::scalar_tensor(0, place.options()), place);
  } else {
    const Tensor unordered = at::unsqueeze(at::isnan(last), -1);
    place = at::where(
        unordered, at::scalar_tensor(n - 1, flat.options()), flat * static_cast<double>(n - 1));
  }
  if (interpolation == "lower") {
    place = at::floor(place);
  } else if (interpolation == "higher") {
    place = at::ceil(place);
  } else if (interpolation == "nearest") {
    place = at::round(place);
  }
  const Tensor lower = at::methods::to(place, kLong);
  Tensor values = at::gather(sorted, -1, lower);
  if (interpolation == "linear" || interpolation == "midpoint") {
    const Tensor weight = interpolation == "midpoint"
        ? at::full_like(place, 0.5)
        : place - at::methods::to(lower, place.scalar_type());
    const Tensor upper = at::methods::to(at::ceil(place), kLong);
    values = at::lerp(values, at::gather(sorted, -1, upper), weight);
  }
  if (whole && keepdim) {
    DimVector shape(self.dim(), 1);
    shape.push_back(values.size(-1));
    values = at::methods::view(values, shape);
  } else if (!whole && !keepdim) {
    values = at::squeeze(values, axis);
  }
  const Tensor result = at::movedim(values, -1, 0);
  return q.dim() == 0 ? at::squeeze(result, 0) : result;
}

Tensor as_q(const Tensor& self, double q) {
  TORCH_CHECK(q >= 0 && q <= 1, "quantile() q must be in the range [0, 1] but got ", q);
  return at::scalar_tensor(q, self.options());
}

} // namespace

Tensor quantile(
    const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation) {
  return quantile_of(self, q, dim, keepdim, interpolation, false);
}

Tensor quantile(
    const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation) {
  return quantile_of(self, as_q(self, q), dim, keepdim, interpolation, false);
}

Tensor nanquantile(
    const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation) {
  return quantile_of(self, q, dim, keepdim, interpolation, true);
}

Tensor nanquantile(
    const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
    c10::string_view interpolation) {
  return quantile_of(self, as_q(self, q), dim, keepdim, interpolation, true);
}

} // namespace at::native
