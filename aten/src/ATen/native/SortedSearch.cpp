// searchsorted, bucketize and isin.

#include <ATen/core/Tensor.h>

#include <ATen/Parallel.h>
#include <ATen/native/Bins.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/ops/any.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/isin_native.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/searchsorted_native.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(search_stub);

namespace {

// The positions of kTogether numbers, none of them NaN, without branches. The loads of one search
// wait for each other; those of several searches overlap.
constexpr int64_t kTogether = 8;
template <bool right, typename T>
void search_together(const T* sorted, int64_t length, const T* values, int64_t* out) {
  const auto precedes = [](T other, T value) { return right ? other <= value : other < value; };
  int64_t low[kTogether] = {};
  int64_t left = length;
  for (; left > 1; left -= left / 2) {
    const int64_t half = left / 2;
#pragma GCC unroll 8
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
    if (sorter.numel() != 0 && !sorter.is_meta()) {
      TORCH_CHECK(
          at::methods::item(at::min(sorter)).toLong() >= 0 &&
              at::methods::item(at::max(sorter)).toLong() < sorter.sizes().back(),
          "torch.searchsorted(): sorter index out of range");
    }
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

// Warns once of an argument that each search copies; a macro, since each call of TORCH_WARN_ONCE
// counts for itself.
#define WARN_OF_COPY(argument)                                                                   \
  TORCH_WARN_ONCE("torch.searchsorted(): " argument                                              \
                  " tensor is non-contiguous, this will lower the "                              \
                  "performance due to extra data copy when converting non-contiguous tensor to " \
                  "contiguous, please use contiguous " argument                                  \
                  " tensor if possible. This message will "                                      \
                  "only appear once per program.")

static void warn_of_copies(const Tensor& sorted_sequence, const Tensor& self, const Tensor& order) {
  if (!self.is_contiguous()) {
    WARN_OF_COPY("input value");
  }
  if (!sorted_sequence.is_contiguous()) {
    WARN_OF_COPY("boundary");
  }
  if (order.defined() && !order.is_contiguous()) {
    WARN_OF_COPY("sorter");
  }
}

#undef WARN_OF_COPY

Tensor searchsorted(
    const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
    std::optional<c10::string_view> side, const std::optional<Tensor>& sorter) {
  const Tensor order = sorter.value_or(Tensor());
  check_search(sorted_sequence, self, side, right, order);
  const ScalarType common = at::result_type(sorted_sequence, self);
  warn_of_copies(sorted_sequence, self, order);
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

} // namespace at::native
