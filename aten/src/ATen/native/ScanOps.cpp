// cumsum and cumprod.

#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ScanStub.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/cumprod_meta.h>
#include <ATen/ops/cumprod_native.h>
#include <ATen/ops/cumsum_meta.h>
#include <ATen/ops/cumsum_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/to.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/complex.h>

#include <algorithm>
#include <type_traits>

namespace at::native {

DEFINE_DISPATCH(scan_stub);

namespace {

// Running totals of float are kept in double, those of the half types in float.
template <class T>
struct ScanCarry {
  using type = T;
};
template <>
struct ScanCarry<float> {
  using type = double;
};
template <>
struct ScanCarry<c10::Half> {
  using type = float;
};
template <>
struct ScanCarry<c10::BFloat16> {
  using type = float;
};
template <>
struct ScanCarry<c10::complex<float>> {
  using type = c10::complex<double>;
};
template <>
struct ScanCarry<bool> {
  using type = int64_t;
};

template <bool is_sum, class Carry, class T>
Carry advance(Carry carry, T x) {
  return is_sum ? carry + static_cast<Carry>(x) : carry * static_cast<Carry>(x);
}

template <class T, bool is_sum>
void scan_adjacent(const T* in, T* out, int64_t n) {
  typename ScanCarry<T>::type carry(is_sum ? 0 : 1);
  for (int64_t k = 0; k < n; ++k) {
    carry = advance<is_sum>(carry, in[k]);
    out[k] = static_cast<T>(carry);
  }
}

// Rows of adjacent elements, four at a time, so that each waits only for its own running total.
template <class T, bool is_sum>
void scan_adjacent_rows(const T* in, T* out, int64_t rows, int64_t n) {
  using Carry = typename ScanCarry<T>::type;
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, in += 4 * n, out += 4 * n) {
    const Carry start(is_sum ? 0 : 1);
    Carry a = start, b = start, c = start, d = start;
    for (int64_t k = 0; k < n; ++k) {
      a = advance<is_sum>(a, in[k]);
      b = advance<is_sum>(b, in[n + k]);
      c = advance<is_sum>(c, in[2 * n + k]);
      d = advance<is_sum>(d, in[3 * n + k]);
      out[k] = static_cast<T>(a);
      out[n + k] = static_cast<T>(b);
      out[2 * n + k] = static_cast<T>(c);
      out[3 * n + k] = static_cast<T>(d);
    }
  }
  for (; r < rows; ++r, in += n, out += n) {
    scan_adjacent<T, is_sum>(in, out, n);
  }
}

template <class T, bool is_sum>
void scan_rows(const void* in, void* out, int64_t rows, int64_t n, int64_t inner) {
  using Carry = typename ScanCarry<T>::type;
  constexpr int64_t kColumns = 128;
  const T* source = static_cast<const T*>(in);
  T* target = static_cast<T*>(out);
  const int64_t blocks = (inner + kColumns - 1) / kColumns;
  const int64_t grain =
      std::max<int64_t>(1, at::internal::GRAIN_SIZE / (n * std::min(inner, kColumns)));
  at::parallel_for(0, rows * blocks, grain, [&](int64_t begin, int64_t end) {
    if (inner == 1) {
      return scan_adjacent_rows<T, is_sum>(source + begin * n, target + begin * n, end - begin, n);
    }
    Carry carry[kColumns];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kColumns;
      const int64_t width = std::min(kColumns, inner - first);
      const T* p = source + i / blocks * n * inner + first;
      T* q = target + i / blocks * n * inner + first;
      std::fill_n(carry, width, Carry(is_sum ? 0 : 1));
      for (int64_t k = 0; k < n; ++k, p += inner, q += inner) {
        for (int64_t c = 0; c < width; ++c) {
          carry[c] = advance<is_sum>(carry[c], p[c]);
          q[c] = static_cast<T>(carry[c]);
        }
      }
    }
  });
}

using ScanFn = void (*)(const void*, void*, int64_t, int64_t, int64_t);

template <bool is_sum>
ScanFn scan_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
    case ScalarType::Char:
      return &scan_rows<uint8_t, is_sum>;
    case ScalarType::Short:
      return &scan_rows<int16_t, is_sum>;
    case ScalarType::Int:
      return &scan_rows<int32_t, is_sum>;
    case ScalarType::Long:
      return &scan_rows<int64_t, is_sum>;
    case ScalarType::Bool:
      return &scan_rows<bool, is_sum>;
    case ScalarType::Half:
      return &scan_rows<c10::Half, is_sum>;
    case ScalarType::BFloat16:
      return &scan_rows<c10::BFloat16, is_sum>;
    case ScalarType::Float:
      return &scan_rows<float, is_sum>;
    case ScalarType::Double:
      return &scan_rows<double, is_sum>;
    case ScalarType::ComplexFloat:
      return &scan_rows<c10::complex<float>, is_sum>;
    case ScalarType::ComplexDouble:
      return &scan_rows<c10::complex<double>, is_sum>;
    default:
      return nullptr;
  }
}

bool scan_on_cpu(
    ScalarType dtype, bool is_sum, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner) {
  const ScanFn fn = is_sum ? scan_of<true>(dtype) : scan_of<false>(dtype);
  if (fn != nullptr && rows * n * inner != 0) {
    fn(in, out, rows, n, inner);
  }
  return fn != nullptr;
}

void scan_meta(
    impl::MetaBase& meta, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  c10::maybe_wrap_dim(dim, self.dim());
  const Tensor& out = meta.maybe_get_output();
  if (dtype.has_value() && out.is_same(self)) {
    TORCH_CHECK(
        *dtype == self.scalar_type(), "Bad in-place call: input tensor dtype ", self.dtype(),
        " and output tensor dtype ", c10::scalarTypeToTypeMeta(*dtype), " should match");
  }
  meta.set_output_raw_strided(
      0, self.sizes(), {}, self.options().dtype(infer_sum_dtype(self, dtype, out)));
}

template <bool is_sum>
void scan(const Tensor& self, int64_t dim, const Tensor& result) {
  const ScalarType dtype = result.scalar_type();
  const Tensor in = at::methods::to(self, dtype).contiguous();
  const Tensor out = result.is_contiguous() ? result : at::empty_like(in);
  int64_t rows = 1, n = 1, inner = 1;
  if (self.dim() > 0) {
    const int64_t at = c10::maybe_wrap_dim(dim, self.dim());
    n = self.size(at);
    for (int64_t d = 0; d < self.dim(); ++d) {
      (d < at ? rows : inner) *= d == at ? 1 : self.size(d);
    }
  }
  if (!scan_stub(
          self.device().type(), dtype, is_sum, in.const_data_ptr(), out.mutable_data_ptr(), rows, n,
          inner)) {
    unsupported_dtype(is_sum ? "cumsum_out_cpu" : "cumprod_out_cpu", dtype);
  }
  if (!out.is_same(result)) {
    at::methods::copy_(result, out);
  }
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(scan_stub, &scan_on_cpu)

TORCH_IMPL_FUNC(cumsum_out)
(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, const Tensor& result) {
  scan<true>(self, dim, result);
}

TORCH_IMPL_FUNC(cumprod_out)
(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, const Tensor& result) {
  scan<false>(self, dim, result);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(cumsum)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  native::scan_meta(*this, self, dim, dtype);
}

TORCH_META_FUNC(cumprod)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  native::scan_meta(*this, self, dim, dtype);
}

} // namespace at::meta
