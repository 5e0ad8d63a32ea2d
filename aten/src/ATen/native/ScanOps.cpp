// cumsum, cumprod and logcumsumexp.

#include <ATen/MemoryOverlap.h>
#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ScanStub.h>
#include <ATen/native/ScanUtils.h>
#include <ATen/native/ufunc/logaddexp.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/cumprod_meta.h>
#include <ATen/ops/cumprod_native.h>
#include <ATen/ops/cumsum_meta.h>
#include <ATen/ops/cumsum_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/logcumsumexp_meta.h>
#include <ATen/ops/logcumsumexp_native.h>
#include <ATen/ops/to.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/complex.h>

#include <algorithm>
#include <limits>
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

template <Scan scan, class Carry>
Carry start_of() {
  if constexpr (scan == Scan::LogSumExp) {
    return Carry(-std::numeric_limits<typename c10::scalar_value_type<Carry>::type>::infinity());
  } else {
    return Carry(scan == Scan::Sum ? 0 : 1);
  }
}

template <Scan scan, class Carry, class T>
Carry advance(Carry carry, T x) {
  const Carry next = static_cast<Carry>(x);
  if constexpr (scan == Scan::LogSumExp) {
    return ufunc::logaddexp(carry, next);
  } else {
    return scan == Scan::Sum ? carry + next : carry * next;
  }
}

template <class T, Scan scan>
void scan_adjacent(const T* in, T* out, int64_t n) {
  using Carry = typename ScanCarry<T>::type;
  Carry carry = start_of<scan, Carry>();
  for (int64_t k = 0; k < n; ++k) {
    carry = advance<scan>(carry, in[k]);
    out[k] = static_cast<T>(carry);
  }
}

// Rows of adjacent elements, four at a time, so that each waits only for its own running total.
template <class T, Scan scan>
void scan_adjacent_rows(const T* in, T* out, int64_t rows, int64_t n) {
  using Carry = typename ScanCarry<T>::type;
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, in += 4 * n, out += 4 * n) {
    const Carry start = start_of<scan, Carry>();
    Carry a = start, b = start, c = start, d = start;
    for (int64_t k = 0; k < n; ++k) {
      a = advance<scan>(a, in[k]);
      b = advance<scan>(b, in[n + k]);
      c = advance<scan>(c, in[2 * n + k]);
      d = advance<scan>(d, in[3 * n + k]);
      out[k] = static_cast<T>(a);
      out[n + k] = static_cast<T>(b);
      out[2 * n + k] = static_cast<T>(c);
      out[3 * n + k] = static_cast<T>(d);
    }
  }
  for (; r < rows; ++r, in += n, out += n) {
    scan_adjacent<T, scan>(in, out, n);
  }
}

template <class T, Scan scan>
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
      return scan_adjacent_rows<T, scan>(source + begin * n, target + begin * n, end - begin, n);
    }
    Carry carry[kColumns];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kColumns;
      const int64_t width = std::min(kColumns, inner - first);
      const T* p = source + i / blocks * n * inner + first;
      T* q = target + i / blocks * n * inner + first;
      std::fill_n(carry, width, start_of<scan, Carry>());
      for (int64_t k = 0; k < n; ++k, p += inner, q += inner) {
        for (int64_t c = 0; c < width; ++c) {
          carry[c] = advance<scan>(carry[c], p[c]);
          q[c] = static_cast<T>(carry[c]);
        }
      }
    }
  });
}

using ScanFn = void (*)(const void*, void*, int64_t, int64_t, int64_t);

template <Scan scan>
ScanFn scan_of_floats(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half:
      return &scan_rows<c10::Half, scan>;
    case ScalarType::BFloat16:
      return &scan_rows<c10::BFloat16, scan>;
    case ScalarType::Float:
      return &scan_rows<float, scan>;
    case ScalarType::Double:
      return &scan_rows<double, scan>;
    case ScalarType::ComplexFloat:
      return &scan_rows<c10::complex<float>, scan>;
    case ScalarType::ComplexDouble:
      return &scan_rows<c10::complex<double>, scan>;
    default:
      return nullptr;
  }
}

template <Scan scan>
ScanFn scan_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
    case ScalarType::Char:
      return &scan_rows<uint8_t, scan>;
    case ScalarType::Short:
      return &scan_rows<int16_t, scan>;
    case ScalarType::Int:
      return &scan_rows<int32_t, scan>;
    case ScalarType::Long:
      return &scan_rows<int64_t, scan>;
    case ScalarType::Bool:
      return &scan_rows<bool, scan>;
    default:
      return scan_of_floats<scan>(dtype);
  }
}

ScanFn scan_of(ScalarType dtype, Scan scan) {
  switch (scan) {
    case Scan::Sum:
      return scan_of<Scan::Sum>(dtype);
    case Scan::Product:
      return scan_of<Scan::Product>(dtype);
    case Scan::LogSumExp:
      return scan_of_floats<Scan::LogSumExp>(dtype);
  }
  return nullptr;
}

bool scan_on_cpu(
    ScalarType dtype, Scan scan, const void* in, void* out, int64_t rows, int64_t n,
    int64_t inner) {
  const ScanFn fn = scan_of(dtype, scan);
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

void scan(const char* kernel, Scan scan, const Tensor& self, int64_t dim, const Tensor& result) {
  at::assert_no_partial_overlap(result, self);
  const ScalarType dtype = result.scalar_type();
  // Sums of booleans are integers; only a result that the caller chose can be boolean.
  if (dtype == kBool && self.dim() != 0 && self.numel() != 0) unsupported_dtype(kernel, dtype);
  const Tensor in = at::methods::to(self, dtype).contiguous();
  const Tensor out = result.is_contiguous() ? result : at::empty_like(in);
  const ScanSizes sizes = scan_sizes(self, dim);
  if (!scan_stub(
          self.device().type(), dtype, scan, in.const_data_ptr(), out.mutable_data_ptr(),
          sizes.rows, sizes.n, sizes.inner)) {
    unsupported_dtype(kernel, dtype);
  }
  if (!out.is_same(result)) {
    at::methods::copy_(result, out);
  }
}

} // namespace

REGISTER_ALL_CPU_DISPATCH(scan_stub, &scan_on_cpu)

TORCH_IMPL_FUNC(cumsum_out)
(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, const Tensor& result) {
  scan("cumsum_out_cpu", Scan::Sum, self, dim, result);
}

TORCH_IMPL_FUNC(cumprod_out)
(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, const Tensor& result) {
  scan("cumprod_out_cpu", Scan::Product, self, dim, result);
}

TORCH_IMPL_FUNC(logcumsumexp_out)(const Tensor& self, int64_t dim, const Tensor& result) {
  scan("logcumsumexp_out_cpu", Scan::LogSumExp, self, dim, result);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(cumsum)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  native::scan_meta(*this, self, dim, dtype);
}

TORCH_META_FUNC(cumprod)(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  native::scan_meta(*this, self, dim, dtype);
}

TORCH_META_FUNC(logcumsumexp)(const Tensor& self, int64_t dim) {
  c10::maybe_wrap_dim(dim, self.dim());
  set_output_raw_strided(0, self.sizes(), {}, self.options());
}

} // namespace at::meta
