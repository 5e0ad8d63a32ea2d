// sort, argsort and topk.

#include <ATen/MemoryOverlap.h>
#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/SortRows.h>

#include <ATen/ops/argsort_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sort_meta.h>
#include <ATen/ops/sort_native.h>
#include <ATen/ops/topk_meta.h>
#include <ATen/ops/topk_native.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>

namespace at::native {
namespace {

// The rows along `dim` of an input and of two outputs that differ from it only in that dimension.
class Rows {
 public:
  Rows(const Tensor& in, const Tensor& values, const Tensor& indices, int64_t dim)
      : in_(static_cast<const char*>(in.const_data_ptr())),
        values_(static_cast<char*>(values.mutable_data_ptr())),
        indices_(static_cast<int64_t*>(indices.mutable_data_ptr())),
        element_size_(static_cast<int64_t>(in.element_size())) {
    n_ = in.dim() == 0 ? 1 : in.size(dim);
    for (int64_t d = 0; d < in.dim(); ++d) {
      if (d == dim) {
        step_ = {0, in.stride(d), values.stride(d), indices.stride(d)};
      } else if (in.size(d) != 1) {
        dims_[count_++] = {in.size(d), in.stride(d), values.stride(d), indices.stride(d)};
        rows_ *= in.size(d);
      }
    }
  }

  int64_t count() const { return rows_; }
  int64_t length() const { return n_; }

  SortRow operator[](int64_t index) const {
    int64_t in = 0, values = 0, indices = 0;
    for (int d = count_ - 1; d >= 0; --d) {
      const int64_t i = index % dims_[d].size;
      index /= dims_[d].size;
      in += i * dims_[d].in;
      values += i * dims_[d].values;
      indices += i * dims_[d].indices;
    }
    return {
        in_ + in * element_size_,
        step_.in,
        n_,
        values_ + values * element_size_,
        step_.values,
        indices_ + indices,
        step_.indices,
        element_size_};
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / 8 / std::max<int64_t>(n_, 1));
    at::parallel_for(0, rows_, grain, [&](int64_t begin, int64_t end) {
      SortScratch scratch;
      for (int64_t r = begin; r < end; ++r) {
        visit((*this)[r], scratch);
      }
    });
  }

 private:
  struct Dim {
    int64_t size, in, values, indices;
  };
  const char* in_;
  char* values_;
  int64_t* indices_;
  int64_t element_size_;
  int64_t n_ = 1;
  int64_t rows_ = 1;
  int count_ = 0;
  Dim step_{1, 1, 1, 1};
  Dim dims_[64];
};

c10::DimVector sorted_strides(const Tensor& self) {
  if (self.is_non_overlapping_and_dense()) {
    return c10::DimVector(self.strides());
  }
  return at::detail::dense_strides_like(self.sizes(), self.strides());
}

const SortCodec& require_codec(const char* name, const Tensor& self) {
  const ScalarType dtype = self.scalar_type();
  const SortCodec* codec = sort_codec_stub(self.device().type(), dtype);
  if (codec == nullptr) {
    unsupported_dtype(name, dtype);
  }
  return *codec;
}

} // namespace

TORCH_IMPL_FUNC(sort_stable_out)
(const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending, const Tensor& values,
 const Tensor& indices) {
  if (self.numel() == 0) {
    return;
  }
  at::assert_no_partial_overlap(values, self);
  const SortCodec& codec = require_codec("sort", self);
  const Rows rows(self, values, indices, c10::maybe_wrap_dim(dim, self.dim()));
  rows.for_each(
      [&](const SortRow& row, SortScratch& scratch) { sort_row(codec, row, descending, scratch); });
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
  return at::sort(self, /*stable=*/false, dim, descending);
}

std::tuple<Tensor&, Tensor&> sort_out(
    const Tensor& self, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  return at::sort_out(values, indices, self, /*stable=*/false, dim, descending);
}

Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(at::sort(self, dim, descending));
}

Tensor argsort(const Tensor& self, bool stable, int64_t dim, bool descending) {
  return std::get<1>(at::sort(self, stable, dim, descending));
}

Tensor& argsort_out(const Tensor& self, bool stable, int64_t dim, bool descending, Tensor& out) {
  Tensor values = at::empty({0}, self.options());
  at::sort_out(values, out, self, stable, dim, descending);
  return out;
}

TORCH_IMPL_FUNC(topk_out_cpu)
(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, const Tensor& values,
 const Tensor& indices) {
  const ScalarType dtype = self.scalar_type();
  TORCH_CHECK(dtype != ScalarType::Bool, "topk does not support bool dtypes on CPU");
  TORCH_CHECK(!self.is_complex(), " topk does not support complex dtypes on CPU");
  if (c10::isStorageType(dtype)) {
    unsupported_dtype("topk_cpu", dtype);
  }
  if (values.numel() == 0) {
    return;
  }
  const SortCodec& codec = require_codec("topk_cpu", self);
  const Rows rows(self, values, indices, c10::maybe_wrap_dim(dim, self.dim()));
  rows.for_each([&](const SortRow& row, SortScratch& scratch) {
    select_row(codec, row, self.dim() == 0 ? std::min<int64_t>(k, 1) : k, largest, scratch);
  });
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC2(sort, stable)
(const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending) {
  c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(!self.is_complex(), " Sort does not support complex dtypes on CPU");
  const c10::DimVector strides = native::sorted_strides(self);
  set_output_raw_strided(0, self.sizes(), strides, self.options());
  set_output_raw_strided(1, self.sizes(), strides, self.options().dtype(ScalarType::Long));
}

TORCH_META_FUNC(topk)
(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  const int64_t wrapped = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(
      k >= 0 && k <= (self.dim() > 0 ? self.size(wrapped) : 1), "selected index k out of range");
  c10::DimVector shape(self.sizes());
  if (!shape.empty()) {
    shape[static_cast<size_t>(wrapped)] = k;
  }
  set_output_raw_strided(0, shape, {}, self.options());
  set_output_raw_strided(1, shape, {}, self.options().dtype(ScalarType::Long));
}

} // namespace at::meta
