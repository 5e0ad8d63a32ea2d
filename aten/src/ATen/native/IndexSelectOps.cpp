// index_select, index_add and index_reduce: one vector of indices along one dimension.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorMeta.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/AccumulateElements.h>
#include <ATen/native/IndexedLoop.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SameDevice.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/add.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_add_native.h>
#include <ATen/ops/index_reduce_native.h>
#include <ATen/ops/index_select_native.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <string_view>

namespace at::native {
namespace {

// `plain` has the shape of `indexed` except along `dim`, where it has the length of `index`.
IndexedLoop loop_along(
    const Tensor& plain, const Tensor& indexed, const Tensor& index, int64_t dim) {
  IndexedLoop loop;
  const auto itemsize = static_cast<int64_t>(indexed.itemsize());
  for (int64_t i = 0; i < plain.dim(); ++i) {
    const bool chosen = i == dim;
    loop.add_dim(
        plain.size(i), plain.stride(i) * itemsize, chosen && index.dim() > 0 ? index.stride(0) : 0,
        chosen ? 0 : indexed.stride(i) * itemsize);
  }
  loop.plain = static_cast<char*>(const_cast<void*>(plain.const_data_ptr()));
  loop.index = index.const_data_ptr<int64_t>();
  loop.indexed = static_cast<char*>(const_cast<void*>(indexed.const_data_ptr()));
  loop.step = indexed.dim() > 0 ? indexed.stride(dim) * itemsize : itemsize;
  loop.bound = indexed.dim() > 0 ? indexed.size(dim) : 1;
  loop.dim = dim;
  loop.policy = OutOfBounds::Select;
  return loop;
}

Tensor as_positions(const Tensor& index) {
  return index.scalar_type() == kLong ? index : at::methods::to(index, kLong);
}

DimVector index_select_sizes(const Tensor& self, int64_t dim, const Tensor& index) {
  check_same_device(self, index);
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(
      index.scalar_type() == kLong || index.scalar_type() == kInt,
      "index_select(): Expected dtype int32 or int64 for index");
  TORCH_CHECK(
      self.dim() > 0 || index.numel() == 1,
      "index_select(): Index to scalar can have only 1 value, got ", index.numel(), " value(s)");
  check_movable_dtype(self.scalar_type(), "index_select");
  DimVector sizes(self.sizes().begin(), self.sizes().end());
  if (self.dim() > 0) {
    sizes[dim] = index.numel();
  }
  return sizes;
}

// Checks the indices of elements that do not exist, which no loop reads.
void check_positions(const Tensor& positions, int64_t size) {
  const Tensor values = positions.contiguous();
  const int64_t* at = values.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    TORCH_CHECK(
        at[i] >= 0 && at[i] < size, "INDICES element is out of DATA bounds, id=", at[i],
        " axis_dim=", size);
  }
}

void index_select_into(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& result) {
  if (self.is_meta() || (result.numel() == 0 && !(self.is_cpu() && index.numel() > 0))) {
    return;
  }
  const Tensor positions = as_positions(index);
  if (result.numel() == 0) {
    return check_positions(positions, self.dim() > 0 ? self.size(dim) : 1);
  }
  IndexedLoop loop = loop_along(result, self, positions, dim);
  take_indexed(self.device().type(), loop, self.scalar_type());
}

} // namespace

Tensor index_select_cpu_(const Tensor& self, int64_t dim, const Tensor& index) {
  dim = maybe_wrap_dim(dim, self.dim());
  const DimVector sizes = index_select_sizes(self, dim, index);
  Tensor result = self.is_cpu() ? Tensor(at::detail::empty_cpu(sizes, self.scalar_type()))
                                : at::empty(sizes, self.options());
  index_select_into(self, dim, index, result);
  return result;
}

Tensor& index_select_out_cpu_(
    const Tensor& self, int64_t dim, const Tensor& index, Tensor& result) {
  dim = maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "index_select(): self and result must have the same scalar type");
  check_same_device(self, result);
  at::assert_no_internal_overlap(result);
  at::assert_no_overlap(result, self);
  at::assert_no_overlap(result, index);
  resize_output(result, index_select_sizes(self, dim, index));
  index_select_into(self, dim, index, result);
  return result;
}

} // namespace at::native

namespace at::meta {
namespace {

// `name` appears in errors.
void check_indexed_slices(
    const char* name, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  TORCH_CHECK_INDEX(
      index.dim() <= 1, name, "(): Index is supposed to be a vector, but got dim: ", index.dim(),
      " with type: ", index.scalar_type(), " and size: ", index.sizes());
  TORCH_CHECK(
      index.scalar_type() == kLong || index.scalar_type() == kInt, name,
      "(): Expected dtype int32/int64 for index but got: ", index.scalar_type());
  TORCH_CHECK(
      self.scalar_type() == source.scalar_type(), name, "(): self (", self.scalar_type(),
      ") and source (", source.scalar_type(), ") must have the same scalar type");
  TORCH_CHECK(
      dim == 0 || dim < source.dim(), name, "(): Indexing dim ", dim,
      " is out of bounds of the source tensor with dim ", source.dim());
  bool same_shape = self.dim() == source.dim();
  for (int64_t i = 0; same_shape && i < self.dim(); ++i) {
    same_shape = i == dim || self.size(i) == source.size(i);
  }
  TORCH_CHECK(
      same_shape,
      "source tensor shape must match self tensor shape, excluding the specified "
      "dimension. Got self.shape = ",
      self.sizes(), " source.shape = ", source.sizes());
  const int64_t length = source.dim() == 0 ? 1 : source.size(dim);
  TORCH_CHECK(
      index.numel() == length, name, "(): Number of indices (", index.numel(),
      ") should be equal to source.size(dim): (", length, "), for dim: ", dim);
}

// The setup that index_add and index_reduce share; returns the dimension counted from 0.
template <typename Meta>
int64_t indexed_slices_meta(
    Meta& meta, const char* name, const Tensor& self, int64_t dim, const Tensor& index,
    const Tensor& source) {
  dim = maybe_wrap_dim(dim, self.dim());
  check_indexed_slices(name, self, dim, index, source);
  const Tensor& result = meta.maybe_get_output(0);
  if (result.defined()) {
    at::assert_no_internal_overlap(result);
    at::assert_no_overlap(result, index);
    at::assert_no_overlap(result, source);
  }
  meta.set_output_raw_strided(0, self.sizes(), {}, self.options());
  return dim;
}

} // namespace

TORCH_PRECOMPUTE_META_FUNC(index_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
 const Scalar& /*alpha*/) {
  const int64_t axis = indexed_slices_meta(*this, "index_add_", self, dim, index, source);
  return TORCH_PRECOMPUTE_STRUCT(index_add)().set_dim(axis);
}

TORCH_PRECOMPUTE_META_FUNC(index_reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
 std::string_view reduce, bool /*include_self*/) {
  TORCH_CHECK(
      reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
      "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", reduce,
      ".");
  const int64_t axis = indexed_slices_meta(*this, "index_reduce_", self, dim, index, source);
  return TORCH_PRECOMPUTE_STRUCT(index_reduce)().set_dim(axis);
}

} // namespace at::meta

namespace at::native {

TORCH_IMPL_FUNC(index_add_cpu_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
 const Tensor& result) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  if (!result.is_same(self)) {
    at::methods::copy_(result, self);
  }
  if (source.numel() == 0) {
    return;
  }
  const Tensor positions = as_positions(index);
  IndexedLoop loop = loop_along(source, result, positions, dim);
  // The indices of a vector are checked as in index_select, those of more dimensions as in gather.
  loop.policy = result.dim() > 1 ? OutOfBounds::Gather : OutOfBounds::Select;
  loop.dim = 0;
  add_indexed(result.device().type(), loop, result.scalar_type(), alpha, "index_add_");
}

// ---- index_reduce ------------------------------------------------------------------------------

namespace {

bool has_indexed_kernels(ScalarType dtype) {
  return dtype != kBool && !c10::isComplexType(dtype) && !c10::isFloat8Type(dtype);
}

// What slices of `result` that are not included start from.
Scalar start_of(std::string_view reduce, ScalarType dtype) {
  if (reduce == "prod" || reduce == "mean") {
    return reduce == "prod" ? 1 : 0;
  }
  return extreme_value(dtype, reduce == "amax");
}

void fill_slices(
    const Tensor& result, const Tensor& source, const Tensor& positions, int64_t dim,
    const Scalar& value) {
  ScalarBytes bytes = scalar_bytes(value, result.scalar_type());
  IndexedLoop loop = loop_along(source, result, positions, dim);
  loop.plain = reinterpret_cast<char*>(bytes.data);
  loop.plain_strides.assign(loop.sizes.size(), 0);
  loop.number = true;
  put_indexed(result.device().type(), loop, result.scalar_type());
}

// Divides each slice of `sums` by the number of its terms.
void divide_by_counts(const Tensor& sums, const Tensor& positions, int64_t dim, bool include_self) {
  const int64_t length = sums.dim() > 0 ? sums.size(dim) : 1;
  const auto whole = sums.options().dtype(kLong);
  const Tensor terms = at::ones({positions.numel()}, whole);
  const Tensor start = include_self ? at::ones({length}, whole) : at::zeros({length}, whole);
  Tensor counts = at::clamp_min(at::index_add(start, 0, positions, terms), 1);
  DimVector shape(sums.dim(), 1);
  if (sums.dim() > 0) {
    shape[dim] = length;
  }
  counts = at::reshape(counts, shape);
  if (!has_indexed_kernels(sums.scalar_type())) {
    counts = at::methods::to(counts, sums.scalar_type());
  }
  if (sums.is_floating_point() || sums.is_complex()) {
    at::methods::div_(sums, counts);
  } else {
    at::methods::div_(sums, counts, "floor");
  }
}

void reduce_slices(
    const Tensor& result, int64_t dim, const Tensor& positions, const Tensor& source,
    std::string_view reduce, bool include_self) {
  const c10::DeviceType device = result.device().type();
  const ScalarType dtype = result.scalar_type();
  constexpr const char* kName = "index_reduce_";
  if (!include_self) {
    fill_slices(result, source, positions, dim, start_of(reduce, dtype));
  }
  IndexedLoop loop = loop_along(source, result, positions, dim);
  if (reduce == "prod") {
    multiply_indexed(device, loop, dtype, kName);
  } else if (reduce == "mean") {
    add_indexed(device, loop, dtype, 1, kName);
    divide_by_counts(result, positions, dim, include_self);
  } else {
    extremum_indexed(device, loop, dtype, reduce == "amax", kName);
  }
}

// For dtypes without kernels of their own: whatever the operators on slices can compute.
void reduce_slice_by_slice(
    const Tensor& result, int64_t dim, const Tensor& positions, const Tensor& source,
    std::string_view reduce) {
  const int64_t* const position = positions.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < positions.numel(); ++i) {
    TORCH_CHECK_INDEX(
        0 <= position[i] && position[i] < result.size(dim), "index out of range in self");
    const Tensor slice = at::select(result, dim, position[i]);
    const Tensor other = at::select(source, dim, i);
    if (reduce == "prod") {
      at::methods::mul_(slice, other);
    } else if (reduce == "mean") {
      at::methods::add_(slice, other);
    } else {
      TORCH_CHECK_NOT_IMPLEMENTED(
          !result.is_complex(), '"', reduce == "amax" ? "maximum" : "minimum",
          "_cpu\" not implemented for '", result.scalar_type(), "'");
      at::methods::copy_(
          slice, reduce == "amax" ? at::maximum(slice, other) : at::minimum(slice, other));
    }
  }
  if (reduce == "mean") {
    divide_by_counts(result, positions, dim, /*include_self=*/true);
  }
}

} // namespace

TORCH_IMPL_FUNC(index_reduce_cpu_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
 std::string_view reduce, bool include_self, const Tensor& result) {
  const ScalarType dtype = self.scalar_type();
  const bool by_slices = !has_indexed_kernels(dtype);
  TORCH_CHECK_NOT_IMPLEMENTED(
      !by_slices || include_self, "\"index_reduce_func_exclude_input_init\" not implemented for '",
      dtype, "'");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !by_slices || self.dim() > 1, "\"index_func_\" not implemented for '", dtype, "'");
  const AutoDispatchBelowADInplaceOrView uncounted;
  if (!result.is_same(self)) {
    at::methods::copy_(result, self);
  }
  if (source.numel() == 0) {
    return;
  }
  const Tensor positions = as_positions(index);
  if (by_slices) {
    reduce_slice_by_slice(result, dim, positions.contiguous(), source, reduce);
    return;
  }
  if (c10::isHalfFloatingType(dtype) && (reduce == "prod" || reduce == "mean")) {
    // 16-bit sums and products are kept in float and rounded once.
    const Tensor wide = at::methods::to(result, kFloat);
    reduce_slices(wide, dim, positions, at::methods::to(source, kFloat), reduce, include_self);
    at::methods::copy_(result, wide);
    return;
  }
  reduce_slices(result, dim, positions, source, reduce, include_self);
}

} // namespace at::native
