// cummax and cummin: the extreme elements so far, and their indices.

#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ScanStub.h>
#include <ATen/native/ScanUtils.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/cummax_meta.h>
#include <ATen/ops/cummax_native.h>
#include <ATen/ops/cummaxmin_backward_native.h>
#include <ATen/ops/cummin_meta.h>
#include <ATen/ops/cummin_native.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/zero.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <type_traits>

namespace at::native {

DEFINE_DISPATCH(extreme_scan_stub);

namespace {

// The type in which elements are compared.
template <class T>
using Ordered =
    std::conditional_t<std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>;

// Whether x takes the place of the extreme element so far. Only a NaN takes the place of a NaN.
template <bool is_max, class T>
bool replaces(T x, T extreme) {
  return (is_max ? x >= extreme : x <= extreme) || x != x;
}

// Most elements of a long row change nothing, which one comparison tells; it is also true of a NaN.
template <class T, bool is_max>
void scan_adjacent(const T* in, T* values, int64_t* indices, int64_t n) {
  Ordered<T> extreme = in[0];
  int64_t index = 0;
  for (int64_t k = 0; k < n; ++k) {
    const Ordered<T> x = in[k];
    const bool may_change = is_max ? !(x < extreme) : !(x > extreme);
    if (may_change && replaces<is_max>(x, extreme)) {
      extreme = x;
      index = k;
    }
    values[k] = static_cast<T>(extreme);
    indices[k] = index;
  }
}

// A strip of columns, row by row. The results of the row before are the extremes so far.
template <class T, bool is_max>
void scan_columns(
    const T* in, T* values, int64_t* indices, int64_t n, int64_t inner, int64_t width) {
  std::copy_n(in, width, values);
  std::fill_n(indices, width, 0);
  for (int64_t k = 1; k < n; ++k) {
    const T* const before = values;
    const int64_t* const index = indices;
    in += inner;
    values += inner;
    indices += inner;
    for (int64_t c = 0; c < width; ++c) {
      const bool replaced = replaces<is_max, Ordered<T>>(in[c], before[c]);
      values[c] = replaced ? in[c] : before[c];
      indices[c] = replaced ? k : index[c];
    }
  }
}

template <class T, bool is_max>
void scan_all(
    const void* in, void* values, int64_t* indices, int64_t rows, int64_t n, int64_t inner) {
  constexpr int64_t kColumns = 512;
  const int64_t strips = (inner + kColumns - 1) / kColumns;
  const int64_t cost = n * std::min(inner, kColumns);
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / cost);
  at::parallel_for(0, rows * strips, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % strips * kColumns;
      const int64_t at = i / strips * n * inner + first;
      const T* const from = static_cast<const T*>(in) + at;
      T* const to = static_cast<T*>(values) + at;
      if (inner == 1) {
        scan_adjacent<T, is_max>(from, to, indices + at, n);
      } else {
        scan_columns<T, is_max>(
            from, to, indices + at, n, inner, std::min(kColumns, inner - first));
      }
    }
  });
}

using ExtremeScan = void (*)(const void*, void*, int64_t*, int64_t, int64_t, int64_t);

template <bool is_max>
ExtremeScan scan_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Bool:
    case ScalarType::Byte:
      return &scan_all<uint8_t, is_max>;
    case ScalarType::Char:
      return &scan_all<int8_t, is_max>;
    case ScalarType::Short:
      return &scan_all<int16_t, is_max>;
    case ScalarType::Int:
      return &scan_all<int32_t, is_max>;
    case ScalarType::Long:
      return &scan_all<int64_t, is_max>;
    case ScalarType::Half:
      return &scan_all<c10::Half, is_max>;
    case ScalarType::BFloat16:
      return &scan_all<c10::BFloat16, is_max>;
    case ScalarType::Float:
      return &scan_all<float, is_max>;
    case ScalarType::Double:
      return &scan_all<double, is_max>;
    default:
      return nullptr;
  }
}

bool scan_extremes_on_cpu(
    ScalarType dtype, bool is_max, const void* in, void* values, int64_t* indices, int64_t rows,
    int64_t n, int64_t inner) {
  const ExtremeScan scan = is_max ? scan_of<true>(dtype) : scan_of<false>(dtype);
  if (scan != nullptr && rows * n * inner != 0) {
    scan(in, values, indices, rows, n, inner);
  }
  return scan != nullptr;
}

void scan_extremes(
    const char* kernel, bool is_max, const Tensor& self, int64_t dim, const Tensor& values,
    const Tensor& indices) {
  if (self.dim() == 0) { // of any dtype, as in PyTorch
    const AutoDispatchBelowADInplaceOrView uncounted;
    at::methods::copy_(values, self);
    at::methods::zero_(indices);
    return;
  }
  if (self.numel() == 0) {
    return;
  }
  const Tensor in = self.contiguous();
  const ScanSizes sizes = scan_sizes(self, dim);
  if (!extreme_scan_stub(
          self.device().type(), self.scalar_type(), is_max, in.const_data_ptr(),
          values.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>(), sizes.rows, sizes.n,
          sizes.inner)) {
    unsupported_dtype(kernel, self.scalar_type());
  }
}

void extremes_meta(impl::MetaBase& meta, const Tensor& self, int64_t dim) {
  c10::maybe_wrap_dim(dim, self.dim());
  meta.set_output_contiguous(0, self.sizes(), self.options());
  meta.set_output_contiguous(1, self.sizes(), self.options().dtype(kLong));
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(extreme_scan_stub, &scan_extremes_on_cpu)

TORCH_IMPL_FUNC(cummax_out)
(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  scan_extremes("cummax_cpu", /*is_max=*/true, self, dim, values, indices);
}

TORCH_IMPL_FUNC(cummin_out)
(const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  scan_extremes("cummin_cpu", /*is_max=*/false, self, dim, values, indices);
}

// The gradient of a result goes to the element that it was chosen from.
Tensor cummaxmin_backward(
    const Tensor& grad, const Tensor& input, const Tensor& indices, int64_t dim) {
  return input.numel() == 0
      ? at::zeros(input.sizes(), grad.options())
      : at::scatter_add(at::zeros(input.sizes(), grad.options()), dim, indices, grad);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(cummax)(const Tensor& self, int64_t dim) {
  native::extremes_meta(*this, self, dim);
}

TORCH_META_FUNC(cummin)(const Tensor& self, int64_t dim) {
  native::extremes_meta(*this, self, dim);
}

} // namespace at::meta
