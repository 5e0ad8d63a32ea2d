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
#include <limits>
#include <numeric>

namespace at::native {
namespace {

using Dims = FftDims;

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

// The transforms of a call, along one axis after another.
class Transforms {
 public:
  // `length` is the number of points on the real side of the axis.
  void add(
      const Tensor& in, const Tensor& out, int64_t axis, FftKind kind, double scale, int64_t length,
      bool inverse = false, bool full = false) {
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
    FftAxis& made = axes_.emplace_back();
    made = {
        kind,
        inverse,
        full,
        scale,
        length,
        in.const_data_ptr(),
        out.mutable_data_ptr(),
        in.stride(axis) * in_unit,
        out.stride(axis) * out_unit,
        {},
        {},
        {},
        c10::toRealValueType(in.scalar_type()) == kDouble};
    for (const int64_t d : order) {
      const int64_t in_stride = in.stride(d) * in_unit, out_stride = out.stride(d) * out_unit;
      if (!made.sizes.empty() && made.in_strides.back() == in.size(d) * in_stride &&
          made.out_strides.back() == in.size(d) * out_stride) {
        made.sizes.back() *= in.size(d);
        made.in_strides.back() = in_stride;
        made.out_strides.back() = out_stride;
        continue;
      }
      made.sizes.push_back(in.size(d));
      made.in_strides.push_back(in_stride);
      made.out_strides.push_back(out_stride);
    }
  }

  void run(const Tensor& self, const Dims& axes) {
    if (!axes_.empty()) {
      fft_axes_stub(self.device().type(), axes_, volumes_of(self, axes));
      axes_.clear();
    }
  }

 private:
  // How many transforms of all axes there are, if no other dimension of self lies further inside.
  static int64_t volumes_of(const Tensor& self, const Dims& axes) {
    int64_t volumes = 1, outermost = 0, innermost = std::numeric_limits<int64_t>::max();
    for (int64_t d = 0; d < self.dim(); ++d) {
      if (std::find(axes.begin(), axes.end(), d) != axes.end()) {
        outermost = std::max(outermost, self.stride(d));
      } else if (self.size(d) != 1) {
        innermost = std::min(innermost, self.stride(d));
        volumes *= self.size(d);
      }
    }
    return innermost > outermost ? volumes : 1;
  }

  c10::SmallVector<FftAxis, 3> axes_;
};

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
  Transforms transforms;
  for (size_t i = axes.size(); i-- > 0; scale = 1) {
    transforms.add(
        i + 1 == axes.size() ? self : result, result, axes[i], FftKind::ComplexToComplex, scale,
        self.size(axes[i]), !forward);
  }
  transforms.run(self, axes);
  return result;
}

Tensor _fft_r2c(const Tensor& self, IntArrayRef dim, int64_t normalization, bool onesided) {
  check_dtype(self, false, "_fft_r2c");
  TORCH_CHECK(!dim.empty(), "_fft_r2c needs at least one dimension");
  const Dims axes = axes_of(self, dim, onesided);
  // The axis with the largest stride gives registers of adjacent real numbers.
  const int64_t real = onesided ? axes.back() : axes.front();
  const int64_t length = self.size(real), half = length / 2 + 1;
  TORCH_CHECK(length >= 1, "Invalid number of data points (", length, ") specified");
  Dims sizes(self.sizes().begin(), self.sizes().end());
  if (onesided) {
    sizes[static_cast<size_t>(real)] = half;
  }
  const Tensor result = result_like(self, sizes, axes, c10::toComplexType(self.scalar_type()));
  if (self.is_meta()) {
    return result;
  }
  const double scale = scale_of(normalization, points_of(self, axes));
  Transforms transforms;
  if (onesided || self.is_cpu()) {
    transforms.add(
        self, result, real, FftKind::RealToComplex, scale, length, false, /*full=*/!onesided);
  } else {
    transforms.add(
        self, at::narrow(result, real, 0, half), real, FftKind::RealToComplex, scale, length);
    transforms.run(self, axes);
    if (length > half) { // X[length - k] is the conjugate of X[k]
      Tensor rest = at::narrow(result, real, half, length - half);
      at::methods::copy_(
          rest, at::conj(at::flip(at::narrow(result, real, 1, length - half), {real})));
    }
  }
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i] != real) {
      transforms.add(result, result, axes[i], FftKind::ComplexToComplex, 1, self.size(axes[i]));
    }
  }
  transforms.run(self, axes);
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
  Transforms transforms;
  transforms.add(
      at::narrow(from, last, 0, last_dim_size / 2 + 1), result, last, FftKind::ComplexToReal,
      scale_of(normalization, points_of(result, axes)), last_dim_size, /*inverse=*/true);
  transforms.run(from, transformed);
  return result;
}

} // namespace at::native
