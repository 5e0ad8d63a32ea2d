// Fourier transforms of several axes, one axis after another.

#include <ATen/core/Tensor.h>
#include <ATen/native/FftPlan.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2c_native.h>
#include <ATen/ops/_fft_c2r_native.h>
#include <ATen/ops/_fft_r2c_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/narrow.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace at::native {
namespace {

using Dims = c10::SmallVector<int64_t, 6>;

// The numbers by which callers select a factor.
enum class Normalization : int64_t { None = 0, ByRoot = 1, ByLength = 2 };

double scale_of(int64_t normalization, int64_t points) {
  switch (static_cast<Normalization>(normalization)) {
    case Normalization::None:
      return 1;
    case Normalization::ByRoot:
      return 1 / std::sqrt(static_cast<double>(points));
    case Normalization::ByLength:
      return 1 / static_cast<double>(points);
  }
  TORCH_CHECK(false, "Unsupported normalization type ", normalization);
}

// The axes without negative numbers, those with large strides first. The last one stays the last of
// a transform between real numbers and half spectra.
Dims axes_of(const Tensor& self, IntArrayRef dim, bool keep_last) {
  Dims axes;
  for (const int64_t each : dim) {
    axes.push_back(maybe_wrap_dim(each, self.dim()));
  }
  std::sort(axes.begin(), axes.end() - (keep_last ? 1 : 0), [&](int64_t a, int64_t b) {
    return self.stride(a) > self.stride(b);
  });
  return axes;
}

// A result whose transformed axes lie innermost, and the others in the order of self's strides.
Tensor result_like(const Tensor& self, IntArrayRef sizes, const Dims& axes, ScalarType dtype) {
  Dims order(static_cast<size_t>(self.dim()));
  std::iota(order.begin(), order.end(), 0);
  const auto transformed = [&](int64_t d) {
    return std::find(axes.begin(), axes.end(), d) != axes.end();
  };
  const auto others =
      std::stable_partition(order.begin(), order.end(), [&](int64_t d) { return !transformed(d); });
  std::stable_sort(
      order.begin(), others, [&](int64_t a, int64_t b) { return self.stride(a) > self.stride(b); });
  std::copy(axes.begin(), axes.end(), others);
  Dims strides(order.size());
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[static_cast<size_t>(order[i])] = next;
    next *= std::max<int64_t>(sizes[static_cast<size_t>(order[i])], 1);
  }
  return at::empty_strided(sizes, strides, self.options().dtype(dtype));
}

// `length` is the number of points on the real side of the axis.
void transform_axis(
    const Tensor& in, const Tensor& out, int64_t axis, FftKind kind, bool inverse, double scale,
    int64_t length) {
  // A single number is its own transform.
  const bool keeps =
      kind == FftKind::ComplexToComplex && length == 1 && scale == 1 && in.is_same(out);
  if (keeps || out.numel() == 0) {
    return;
  }
  const int64_t in_unit = in.is_complex() ? 2 : 1, out_unit = out.is_complex() ? 2 : 1;
  Dims order;
  for (int64_t d = 0; d < in.dim(); ++d) {
    if (d != axis && in.size(d) != 1) {
      order.push_back(d);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return in.stride(a) > in.stride(b);
  });
  Dims sizes, in_strides, out_strides;
  for (const int64_t d : order) {
    const int64_t in_stride = in.stride(d) * in_unit, out_stride = out.stride(d) * out_unit;
    if (!sizes.empty() && in_strides.back() == in.size(d) * in_stride &&
        out_strides.back() == in.size(d) * out_stride) {
      sizes.back() *= in.size(d);
      in_strides.back() = in_stride;
      out_strides.back() = out_stride;
      continue;
    }
    sizes.push_back(in.size(d));
    in_strides.push_back(in_stride);
    out_strides.push_back(out_stride);
  }
  const ScalarType real = c10::toRealValueType(in.scalar_type());
  fft_axis_stub(
      in.device().type(),
      FftAxis{
          kind, inverse, scale, length, in.const_data_ptr(), out.mutable_data_ptr(),
          in.stride(axis) * in_unit, out.stride(axis) * out_unit, sizes, in_strides, out_strides,
          real == kDouble});
}

void check_dtype(const Tensor& self, bool is_complex, const char* name) {
  TORCH_CHECK(
      self.is_complex() == is_complex, name, " expects a ", is_complex ? "complex" : "real",
      " tensor, but got ", self.scalar_type());
  const ScalarType real = c10::toRealValueType(self.scalar_type());
  TORCH_CHECK(real == kFloat || real == kDouble, "Unsupported dtype ", self.scalar_type());
}

int64_t points_of(const Tensor& self, const Dims& axes) {
  int64_t points = 1;
  for (const int64_t axis : axes) {
    points *= self.size(axis);
  }
  return points;
}

} // namespace

Tensor _fft_c2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool forward) {
  check_dtype(self, true, "_fft_c2c");
  if (dim.empty()) {
    return at::clone(self);
  }
  const Dims axes = axes_of(self, dim, false);
  const Tensor result = result_like(self, self.sizes(), axes, self.scalar_type());
  if (self.is_meta()) {
    return result;
  }
  double scale = scale_of(normalization, points_of(self, axes));
  Tensor from = self;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    transform_axis(
        from, result, *axis, FftKind::ComplexToComplex, !forward, scale, self.size(*axis));
    from = result;
    scale = 1;
  }
  return result;
}

Tensor _fft_r2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool onesided) {
  check_dtype(self, false, "_fft_r2c");
  TORCH_CHECK(!dim.empty(), "_fft_r2c needs at least one dimension");
  const Dims axes = axes_of(self, dim, true);
  const int64_t last = axes.back(), length = self.size(last), half = length / 2 + 1;
  TORCH_CHECK(length >= 1, "Invalid number of data points (", length, ") specified");
  Dims sizes(self.sizes().begin(), self.sizes().end());
  if (onesided) {
    sizes[static_cast<size_t>(last)] = half;
  }
  const Tensor result = result_like(self, sizes, axes, c10::toComplexType(self.scalar_type()));
  if (self.is_meta()) {
    return result;
  }
  const Tensor spectrum = onesided ? result : at::narrow(result, last, 0, half);
  transform_axis(
      self, spectrum, last, FftKind::RealToComplex, false,
      scale_of(normalization, points_of(self, axes)), length);
  if (!onesided && length > half) { // X[length - k] is the conjugate of X[k]
    Tensor rest = at::narrow(result, last, half, length - half);
    at::methods::copy_(
        rest, at::conj(at::flip(at::narrow(result, last, 1, length - half), {last})));
  }
  for (size_t i = axes.size() - 1; i-- > 0;) {
    transform_axis(
        result, result, axes[i], FftKind::ComplexToComplex, false, 1, self.size(axes[i]));
  }
  return result;
}

Tensor _fft_c2r(const Tensor& self, IntArrayRef dim, int64_t normalization, int64_t last_dim_size) {
  check_dtype(self, true, "_fft_c2r");
  TORCH_CHECK(!dim.empty(), "_fft_c2r needs at least one dimension");
  const Dims axes = axes_of(self, dim, true);
  const int64_t last = axes.back();
  TORCH_CHECK(
      last_dim_size >= 1 && self.size(last) >= last_dim_size / 2 + 1, "_fft_c2r: ", last_dim_size,
      " points need ", last_dim_size / 2 + 1, " frequencies, but there are ", self.size(last));
  Dims sizes(self.sizes().begin(), self.sizes().end());
  sizes[static_cast<size_t>(last)] = last_dim_size;
  const Tensor from = axes.size() == 1
      ? self
      : at::_fft_c2c(self, IntArrayRef(axes).slice(0, axes.size() - 1), 0, /*forward=*/false);
  const Dims transformed{last};
  const Tensor result =
      result_like(from, sizes, transformed, c10::toRealValueType(self.scalar_type()));
  if (self.is_meta()) {
    return result;
  }
  transform_axis(
      at::narrow(from, last, 0, last_dim_size / 2 + 1), result, last, FftKind::ComplexToReal, true,
      scale_of(normalization, points_of(result, axes)), last_dim_size);
  return result;
}

} // namespace at::native
