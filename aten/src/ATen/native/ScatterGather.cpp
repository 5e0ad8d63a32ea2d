// gather, scatter, scatter_add and scatter_reduce.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorMeta.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/AccumulateElements.h>
#include <ATen/native/IndexedLoop.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/gather_native.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add_native.h>
#include <ATen/ops/scatter_native.h>
#include <ATen/ops/scatter_reduce_native.h>
#include <ATen/ops/to.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace at::native {
namespace {

int64_t size_or_one(const Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

int64_t stride_or_one(const Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.stride(dim);
}

int64_t dim_or_one(const Tensor& tensor) {
  return std::max<int64_t>(tensor.dim(), 1);
}

void check_index_dtype(const Tensor& index, const char* name) {
  if (index.numel() != 0) {
    TORCH_CHECK(
        index.scalar_type() == kLong || index.scalar_type() == kInt, name,
        "(): Expected dtype int32/int64 for index");
  }
}

void check_same_dtype(const Tensor& self, const Tensor& src, const char* name) {
  TORCH_CHECK(
      self.scalar_type() == src.scalar_type(), name,
      "(): Expected self.dtype to be equal to src.dtype");
}

void check_gather_shapes(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK(
      dim_or_one(self) == dim_or_one(index),
      "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t i = 0; i < dim_or_one(self); ++i) {
    TORCH_CHECK(
        i == dim || size_or_one(index, i) <= size_or_one(self, i),
        "Size does not match at dimension ", i, " expected index ", index.sizes(),
        " to be no larger than self ", self.sizes(), " apart from dimension ", dim);
  }
}

void check_scatter_shapes(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* src) {
  if (index.numel() == 0) {
    return;
  }
  TORCH_CHECK(
      dim_or_one(self) == dim_or_one(index),
      "Index tensor must have the same number of dimensions as self tensor");
  bool fits = true;
  for (int64_t i = 0; i < dim_or_one(self); ++i) {
    fits &= i == dim || size_or_one(index, i) <= size_or_one(self, i);
  }
  if (src == nullptr) {
    TORCH_CHECK(
        fits, "Expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
        " apart from dimension ", dim);
    return;
  }
  TORCH_CHECK(
      dim_or_one(*src) == dim_or_one(index),
      "Index tensor must have the same number of dimensions as src tensor");
  for (int64_t i = 0; i < dim_or_one(self); ++i) {
    fits &= size_or_one(index, i) <= size_or_one(*src, i);
  }
  TORCH_CHECK(
      fits, "Expected index ", index.sizes(), " to be no larger than self ", self.sizes(),
      " apart from dimension ", dim, " and to be no larger size than src ", src->sizes());
}

} // namespace
} // namespace at::native

namespace at::meta {
namespace {

// Setup common to all scatter operators; `meta` is the structured operator being set up.
template <typename Meta>
void scatter_meta(
    Meta& meta, const Tensor& self, int64_t dim, const Tensor& index, const Tensor* src,
    const char* name) {
  const int64_t wrapped = maybe_wrap_dim(dim, self.dim());
  native::check_index_dtype(index, name);
  if (src != nullptr) {
    native::check_same_dtype(self, *src, name);
  }
  native::check_scatter_shapes(self, wrapped, index, src);
  const Tensor& output = meta.maybe_get_output(0);
  if (output.defined()) {
    at::assert_no_internal_overlap(output);
    at::assert_no_overlap(output, index);
    if (src != nullptr) {
      at::assert_no_overlap(output, *src);
    }
  }
  meta.set_output_raw_strided(0, self.sizes(), {}, self.options());
}

} // namespace

TORCH_META_FUNC(gather)
(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  const int64_t wrapped = maybe_wrap_dim(dim, self.dim());
  const Tensor& output = maybe_get_output(0);
  if (output.defined()) {
    at::assert_no_internal_overlap(output);
    at::assert_no_overlap(output, self);
    at::assert_no_partial_overlap(output, index);
  }
  native::check_index_dtype(index, "gather");
  if (index.numel() != 0) {
    native::check_gather_shapes(self, wrapped, index);
  }
  set_output_raw_strided(0, index.sizes(), {}, self.options());
}

TORCH_META_FUNC2(scatter, src)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  scatter_meta(*this, self, dim, index, &src, "scatter");
}

TORCH_META_FUNC2(scatter, value)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& /*value*/) {
  scatter_meta(*this, self, dim, index, nullptr, "scatter");
}

TORCH_META_FUNC2(scatter, reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
 std::string_view /*reduce*/) {
  TORCH_WARN_ONCE(
      "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
      "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.");
  scatter_meta(*this, self, dim, index, &src, "scatter");
}

TORCH_META_FUNC2(scatter, value_reduce)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& /*value*/,
 std::string_view /*reduce*/) {
  scatter_meta(*this, self, dim, index, nullptr, "scatter");
}

TORCH_META_FUNC(scatter_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  scatter_meta(*this, self, dim, index, &src, "scatter");
}

} // namespace at::meta

namespace at::native {
namespace {

Tensor index_as_int64(const Tensor& index) {
  return index.scalar_type() == kLong ? index : at::methods::to(index, kLong);
}

// Iterates over `index`; `plain` may be undefined if a number is scattered.
IndexedLoop loop_over(
    const Tensor& plain, const Tensor& indexed, const Tensor& index, int64_t dim) {
  check_not_storage_dtype(indexed.scalar_type(), "scatter_gather_tensor_cpu");
  IndexedLoop loop;
  const auto itemsize = static_cast<int64_t>(indexed.itemsize());
  for (int64_t i = 0; i < dim_or_one(index); ++i) {
    loop.add_dim(
        size_or_one(index, i), plain.defined() ? stride_or_one(plain, i) * itemsize : 0,
        stride_or_one(index, i), i == dim ? 0 : stride_or_one(indexed, i) * itemsize);
  }
  loop.plain =
      plain.defined() ? static_cast<char*>(const_cast<void*>(plain.const_data_ptr())) : nullptr;
  loop.index = index.const_data_ptr<int64_t>();
  loop.indexed = static_cast<char*>(const_cast<void*>(indexed.const_data_ptr()));
  loop.step = stride_or_one(indexed, dim) * itemsize;
  loop.bound = size_or_one(indexed, dim);
  loop.dim = dim;
  return loop;
}

enum class Reduction { None, Add, Multiply, Maximum, Minimum };

Reduction parse_reduction(std::string_view reduce) {
  if (reduce == "add") {
    return Reduction::Add;
  }
  TORCH_CHECK(reduce == "multiply", "reduce argument must be either add or multiply.");
  return Reduction::Multiply;
}

void run_scatter(IndexedLoop& loop, const Tensor& out, Reduction reduction) {
  const c10::DeviceType device = out.device().type();
  const ScalarType dtype = out.scalar_type();
  if (reduction == Reduction::None) {
    put_indexed(device, loop, dtype);
  } else if (reduction == Reduction::Add) {
    add_indexed(device, loop, dtype, 1, "scatter_gather_tensor_cpu");
  } else if (reduction == Reduction::Multiply) {
    multiply_indexed(device, loop, dtype, "scatter_gather_tensor_cpu");
  } else {
    const bool greatest = reduction == Reduction::Maximum;
    extremum_indexed(device, loop, dtype, greatest, "scatter_gather_tensor_cpu");
  }
}

void scatter_tensor(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out,
    Reduction reduction) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  if (!out.is_same(self)) {
    at::methods::copy_(out, self);
  }
  if (index.numel() == 0) {
    return;
  }
  const Tensor positions = index_as_int64(index);
  dim = maybe_wrap_dim(dim, self.dim());
  if (reduction != Reduction::None && c10::isHalfFloatingType(out.scalar_type())) {
    // 16-bit sums are kept in float and rounded once.
    const Tensor sums = at::methods::to(out, kFloat);
    const Tensor terms = at::methods::to(src, kFloat);
    IndexedLoop loop = loop_over(terms, sums, positions, dim);
    run_scatter(loop, sums, reduction);
    at::methods::copy_(out, sums);
    return;
  }
  IndexedLoop loop = loop_over(src, out, positions, dim);
  run_scatter(loop, out, reduction);
}

void scatter_scalar(
    const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, const Tensor& out,
    Reduction reduction) {
  const AutoDispatchBelowADInplaceOrView uncounted;
  if (!out.is_same(self)) {
    at::methods::copy_(out, self);
  }
  if (index.numel() == 0) {
    return;
  }
  const Tensor positions = index_as_int64(index);
  ScalarBytes bytes = scalar_bytes(value, out.scalar_type());
  IndexedLoop loop = loop_over(Tensor(), out, positions, maybe_wrap_dim(dim, self.dim()));
  loop.plain = reinterpret_cast<char*>(bytes.data);
  loop.number = true;
  run_scatter(loop, out, reduction);
}

} // namespace

TORCH_IMPL_FUNC(gather_out)
(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/, const Tensor& out) {
  if (index.numel() == 0) {
    return;
  }
  const Tensor positions = index_as_int64(index);
  IndexedLoop loop = loop_over(out, self, positions, maybe_wrap_dim(dim, self.dim()));
  take_indexed(self.device().type(), loop, self.scalar_type());
}

TORCH_IMPL_FUNC(scatter_src_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  scatter_tensor(self, dim, index, src, out, Reduction::None);
}

TORCH_IMPL_FUNC(scatter_value_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, const Tensor& out) {
  scatter_scalar(self, dim, index, value, out, Reduction::None);
}

TORCH_IMPL_FUNC(scatter_reduce_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
 const Tensor& out) {
  scatter_tensor(self, dim, index, src, out, parse_reduction(reduce));
}

TORCH_IMPL_FUNC(scatter_value_reduce_out)
(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce,
 const Tensor& out) {
  scatter_scalar(self, dim, index, value, out, parse_reduction(reduce));
}

TORCH_IMPL_FUNC(scatter_add)
(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Tensor& out) {
  scatter_tensor(self, dim, index, src, out, Reduction::Add);
}

// ---- scatter_reduce ----------------------------------------------------------------------------

namespace {

struct NamedReduction {
  Reduction reduction;
  Scalar start; // what replaces an element of self that is not included
  bool is_mean = false;
};

NamedReduction named_reduction(std::string_view name, ScalarType dtype) {
  if (name == "sum" || name == "mean") {
    return {Reduction::Add, 0, name == "mean"};
  }
  if (name == "prod") {
    return {Reduction::Multiply, 1};
  }
  TORCH_CHECK(
      name == "amax" || name == "amin",
      "reduce argument must be either sum, prod, mean, amax or amin, got ", name);
  const bool is_max = name == "amax";
  return {is_max ? Reduction::Maximum : Reduction::Minimum, extreme_value(dtype, is_max)};
}

} // namespace

Tensor scatter_reduce(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    std::string_view reduce, bool include_self) {
  const int64_t axis = maybe_wrap_dim(dim, self.dim());
  check_index_dtype(index, "scatter");
  check_same_dtype(self, src, "scatter");
  check_scatter_shapes(self, axis, index, &src);
  TORCH_CHECK_NOT_IMPLEMENTED(
      reduce != "mean" || self.scalar_type() != kBool,
      "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'");
  const NamedReduction named = named_reduction(reduce, self.scalar_type());
  Tensor out = at::clone(self, MemoryFormat::Contiguous);
  if (index.numel() == 0 || self.is_meta()) {
    return out;
  }
  if (!include_self) {
    at::methods::scatter_(out, axis, index, named.start);
  }
  scatter_tensor(out, axis, index, src, out, named.reduction);
  if (named.is_mean) {
    // No element has more terms than the index has positions along the dimension.
    const bool few = size_or_one(index, axis) < std::numeric_limits<int32_t>::max();
    const auto whole = self.options().dtype(few ? kInt : kLong);
    Tensor counts = include_self ? at::ones(self.sizes(), whole) : at::zeros(self.sizes(), whole);
    scatter_scalar(counts, axis, index, 1, counts, Reduction::Add);
    if (!include_self) {
      counts = at::clamp_min(counts, 1);
    }
    if (out.is_floating_point() || out.is_complex()) {
      at::methods::div_(out, counts);
    } else {
      at::methods::div_(out, counts, "floor");
    }
  }
  return out;
}

Tensor& scatter_reduce_(
    Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
    bool include_self) {
  return at::methods::copy_(
      self, native::scatter_reduce(self, dim, index, src, reduce, include_self));
}

} // namespace at::native
