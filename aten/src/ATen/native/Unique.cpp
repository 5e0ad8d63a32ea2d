// _unique, _unique2, unique_dim, unique_consecutive and unique_dim_consecutive. Equal neighbors are
// found with tensor operators, so only the order of whole rows needs a kernel; on the CPU, common
// dtypes without indices take one pass.

#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/RowOrder.h>

#include <ATen/ops/_unique2_native.h>
#include <ATen/ops/_unique_native.h>
#include <ATen/ops/any.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unique_consecutive_native.h>
#include <ATen/ops/unique_dim_consecutive_native.h>
#include <ATen/ops/unique_dim_native.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(row_order_stub);

namespace {

Tensor no_indices(const Tensor& self) {
  return at::empty({0}, self.options().dtype(kLong));
}

// Groups of equal neighbors, from `starts`: true for the first of each group.
struct Groups {
  explicit Groups(const Tensor& starts)
      : starts_(starts), firsts(at::squeeze(at::nonzero(starts), 1)) {}

  // The group of each element.
  Tensor ids() const { return at::sub(at::cumsum(starts_, 0, kLong), 1); }

  Tensor counts() const {
    const Tensor ends = at::cat({firsts, at::full({1}, starts_.size(0), firsts.options())});
    return at::sub(at::narrow(ends, 0, 1, firsts.size(0)), firsts);
  }

 private:
  Tensor starts_;

 public:
  Tensor firsts;
};

// `differs[i]`: whether element i + 1 differs from element i.
Tensor group_starts(const Tensor& differs) {
  return at::cat({at::ones({1}, differs.options()), differs});
}

void check_ordered(const Tensor& self, const char* name) {
  if (self.is_complex() || c10::isFloat8Type(self.scalar_type())) {
    unsupported_dtype(name, self.scalar_type());
  }
}

// `order` lists the original positions of the sorted elements; null if they were sorted before.
Tensor inverse_of(const Groups& groups, const Tensor* order) {
  Tensor ids = groups.ids();
  return order == nullptr ? ids
                          : at::scatter(at::empty(ids.sizes(), ids.options()), 0, *order, ids);
}

using Unique = std::tuple<Tensor, Tensor, Tensor>;

// The beginning of `values`; in their memory, which saves the copy, unless most of it is unused.
Tensor beginning(Tensor values, int64_t count) {
  return 2 * count < values.numel() ? at::clone(at::narrow(values, 0, 0, count))
                                    : at::methods::resize_(values, {count});
}

// The first of each group of equal neighbors, in one pass without branches.
template <typename T>
Tensor firsts_of(const Tensor& values) {
  const int64_t n = values.numel();
  const Tensor room = at::empty({n}, values.options());
  const T* from = values.const_data_ptr<T>();
  T* to = room.mutable_data_ptr<T>();
  to[0] = from[0];
  int64_t count = 1;
  for (int64_t i = 1; i < n; ++i) {
    to[count] = from[i];
    count += static_cast<int64_t>(from[i] != from[i - 1]);
  }
  return beginning(room, count);
}

// The first of each group of equal neighbors, the group of each element and the size of each group.
template <typename T>
Unique groups_of(const Tensor& values, const Tensor* order, bool inverse, bool counts) {
  const int64_t n = values.numel();
  const TensorOptions indices = values.options().dtype(kLong);
  const Tensor firsts = at::empty({n}, values.options());
  const Tensor ids = at::empty({inverse ? n : 0}, indices);
  const Tensor sizes = at::empty({counts ? n : 0}, indices);
  const T* from = values.const_data_ptr<T>();
  const int64_t* places = order == nullptr ? nullptr : order->const_data_ptr<int64_t>();
  T* first = firsts.mutable_data_ptr<T>();
  int64_t* id = ids.mutable_data_ptr<int64_t>();
  int64_t* size = sizes.mutable_data_ptr<int64_t>();
  int64_t group = 0;
  for (int64_t begin = 0, end = 0; begin < n; begin = end, ++group) {
    first[group] = from[begin];
    do {
      if (inverse) {
        id[places == nullptr ? end : places[end]] = group;
      }
      ++end;
    } while (end < n && from[end] == from[end - 1]);
    if (counts) {
      size[group] = end - begin;
    }
  }
  return {beginning(firsts, group), ids, counts ? beginning(sizes, group) : sizes};
}

// Undefined tensors if the values have another dtype or are on another device.
Unique unique_on_cpu(const Tensor& values, const Tensor* order, bool inverse, bool counts) {
  const auto compute = [&]<typename T>(T) -> Unique {
    return inverse || counts ? groups_of<T>(values, order, inverse, counts)
                             : Unique{firsts_of<T>(values), no_indices(values), no_indices(values)};
  };
  switch (values.is_cpu() ? values.scalar_type() : ScalarType::Undefined) {
    case kFloat:
      return compute(float());
    case kDouble:
      return compute(double());
    case kInt:
      return compute(int32_t());
    case kLong:
      return compute(int64_t());
    default:
      return {};
  }
}

Unique unique_flat(
    const Tensor& values, const Tensor* order, IntArrayRef shape, bool inverse, bool counts) {
  const int64_t n = values.numel();
  if (n == 0) {
    return {
        at::empty({0}, values.options()),
        inverse ? at::empty(shape, values.options().dtype(kLong)) : no_indices(values),
        no_indices(values)};
  }
  if (values.is_contiguous()) {
    const auto [firsts, ids, sizes] = unique_on_cpu(values, order, inverse, counts);
    if (firsts.defined()) {
      return {firsts, inverse ? at::reshape(ids, shape) : ids, sizes};
    }
  }
  const Groups groups(
      group_starts(at::ne(at::narrow(values, 0, 1, n - 1), at::narrow(values, 0, 0, n - 1))));
  return {
      at::index_select(values, 0, groups.firsts),
      inverse ? at::reshape(inverse_of(groups, order), shape) : no_indices(values),
      counts ? groups.counts() : no_indices(values)};
}

template <typename T>
void order_rows(const Tensor& matrix, int64_t* order) {
  const T* data = matrix.const_data_ptr<T>();
  const int64_t width = matrix.size(1);
  std::stable_sort(order, order + matrix.size(0), [&](int64_t a, int64_t b) {
    return std::lexicographical_compare(
        data + a * width, data + (a + 1) * width, data + b * width, data + (b + 1) * width);
  });
}

// The positions of the rows in lexicographic order. Widening keeps the order of every dtype.
Tensor sorted_rows(const Tensor& matrix) {
  Tensor order = at::arange(matrix.size(0), matrix.options().dtype(kLong));
  if (!matrix.is_cpu()) {
    row_order_stub(matrix.device().type(), matrix, order);
    return order;
  }
  const bool is_floating = matrix.is_floating_point();
  const Tensor wide = at::methods::to(matrix, is_floating ? kDouble : kLong).contiguous();
  is_floating ? order_rows<double>(wide, order.mutable_data_ptr<int64_t>())
              : order_rows<int64_t>(wide, order.mutable_data_ptr<int64_t>());
  return order;
}

// The inverse and the counts are always computed, as in PyTorch.
Unique unique_slices(const Tensor& self, int64_t dim, bool consecutive) {
  const int64_t axis = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t n = self.size(axis);
  check_ordered(self, "unique_dim");
  if (self.numel() == 0) {
    for (int64_t d = 0; d < self.dim(); ++d) {
      TORCH_CHECK(
          d == axis || self.size(d) != 0,
          "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    }
    return {at::empty(self.sizes(), self.options()), no_indices(self), no_indices(self)};
  }
  const Tensor moved = at::movedim(self, axis, 0).contiguous();
  const Tensor matrix = at::reshape(moved, {n, -1});
  const Tensor order = consecutive ? Tensor() : sorted_rows(matrix);
  const Tensor rows = consecutive ? matrix : at::index_select(matrix, 0, order);
  const Tensor differs =
      at::any(at::ne(at::narrow(rows, 0, 1, n - 1), at::narrow(rows, 0, 0, n - 1)), 1);
  const Groups groups(group_starts(differs));
  const Tensor chosen = consecutive ? groups.firsts : at::index_select(order, 0, groups.firsts);
  return {
      at::movedim(at::index_select(moved, 0, chosen), 0, axis),
      inverse_of(groups, consecutive ? nullptr : &order), groups.counts()};
}

} // namespace

Unique _unique2(const Tensor& self, bool /*sorted*/, bool return_inverse, bool return_counts) {
  check_ordered(self, "unique");
  const auto [values, order] = at::sort(at::reshape(self, {-1}), /*stable=*/true, 0, false);
  return unique_flat(values, &order, self.sizes(), return_inverse, return_counts);
}

std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted, bool return_inverse) {
  auto [values, inverse, counts] = native::_unique2(self, sorted, return_inverse, false);
  return {values, inverse};
}

Unique unique_consecutive(
    const Tensor& self, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
  if (dim) {
    return unique_slices(self, *dim, true);
  }
  check_ordered(self, "unique");
  return unique_flat(
      at::reshape(self, {-1}).contiguous(), nullptr, self.sizes(), return_inverse, return_counts);
}

Unique unique_dim(
    const Tensor& self, int64_t dim, bool /*sorted*/, bool /*return_inverse*/,
    bool /*return_counts*/) {
  return unique_slices(self, dim, false);
}

Unique unique_dim_consecutive(
    const Tensor& self, int64_t dim, bool /*return_inverse*/, bool /*return_counts*/) {
  return unique_slices(self, dim, true);
}

} // namespace at::native
