// diff, trapezoid, trapz, cumulative_trapezoid, cross and std_mean.

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_native.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/cumulative_trapezoid_native.h>
#include <ATen/ops/diff_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linalg_cross_native.h>
#include <ATen/ops/logical_xor.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/std_mean.h>
#include <ATen/ops/std_mean_native.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/trapezoid.h>
#include <ATen/ops/trapezoid_native.h>
#include <ATen/ops/trapz_native.h>
#include <ATen/ops/var_mean.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace at::native {

Tensor diff(
    const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend,
    const std::optional<Tensor>& append) {
  TORCH_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  TORCH_CHECK(n >= 0, "order must be non-negative but got ", n);
  const int64_t axis = maybe_wrap_dim(dim, self.dim());
  std::vector<Tensor> parts;
  for (const auto* part : {&prepend, &append}) {
    if (part == &append) {
      parts.push_back(self);
    }
    if (part->has_value() && (*part)->defined()) {
      TORCH_CHECK(
          (*part)->dim() == self.dim(),
          "diff expects prepend or append to be the same dimension as input");
      for (int64_t d = 0; d < self.dim(); ++d) {
        TORCH_CHECK(
            d == axis || (*part)->size(d) == self.size(d),
            "diff expects the shape of tensor to prepend or append to match that of input except "
            "along the differencing dimension; input.size(",
            d, ") = ", self.size(d), ", but got tensor.size(", d, ") = ", (*part)->size(d));
      }
      parts.push_back(**part);
    }
  }
  Tensor result = parts.size() > 1 && n > 0 ? at::cat(parts, axis) : self;
  if (n == 0) {
    return at::methods::to(result, result.scalar_type(), false, true);
  }
  for (int64_t step = 0; step < n; ++step) {
    const int64_t length = std::max<int64_t>(result.size(axis) - 1, 0);
    const Tensor after = at::slice(result, axis, 1), before = at::narrow(result, axis, 0, length);
    result = result.scalar_type() == kBool ? at::logical_xor(after, before) : after - before;
  }
  return result;
}

// ---- integrals -------------------------------------------------------------------------------

namespace {

Tensor after(const Tensor& tensor, int64_t dim) {
  return at::slice(tensor, dim, 1);
}

Tensor before(const Tensor& tensor, int64_t dim) {
  return at::slice(tensor, dim, 0, -1);
}

// The widths of the intervals between points `x`, with the rank of `y`.
Tensor widths(const char* name, const Tensor& y, const Tensor& x, int64_t dim) {
  Tensor points = x;
  if (x.dim() == 1) {
    TORCH_CHECK(
        x.size(0) == y.size(dim), name, ": There must be one `x` value for each sample point");
    DimVector shape(y.dim(), 1);
    shape[dim] = x.size(0);
    points = at::methods::view(x, shape);
  } else if (x.dim() < y.dim()) {
    DimVector shape(y.dim() - x.dim(), 1);
    shape.append(x.sizes().begin(), x.sizes().end());
    points = at::methods::view(x, shape);
  }
  return after(points, dim) - before(points, dim);
}

void check_no_bool(const char* name, const Tensor& y, const Tensor& x) {
  TORCH_CHECK(
      y.scalar_type() != kBool && x.scalar_type() != kBool, name,
      ": received a bool input for `x` or `y`, but bool is not supported");
}

void check_spacing(const char* name, const Tensor& y, const Scalar& dx) {
  TORCH_CHECK(
      y.scalar_type() != kBool, name, ": received a bool input for `y`, but bool is not supported");
  TORCH_CHECK(
      !dx.isComplex() && !dx.isBoolean(), name,
      ": Currently, we only support dx as a real number.");
}

} // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t axis = maybe_wrap_dim(dim, y.dim());
  if (y.size(axis) == 0) {
    DimVector sizes(y.sizes());
    sizes.erase(sizes.begin() + axis);
    return at::zeros(sizes, y.options());
  }
  check_no_bool("trapezoid", y, x);
  const Tensor width = widths("trapezoid", y, x, axis);
  return at::sum((after(y, axis) + before(y, axis)) * width, axis) / 2;
}

Tensor trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  if (y.size(dim) == 0) {
    DimVector sizes(y.sizes());
    sizes.erase(sizes.begin() + maybe_wrap_dim(dim, y.dim()));
    return at::zeros(sizes, y.options());
  }
  check_spacing("trapezoid", y, dx);
  const int64_t axis = maybe_wrap_dim(dim, y.dim());
  const Tensor ends = at::slice(y, axis, 0, 1) + at::slice(y, axis, -1);
  return (at::sum(y, axis) - at::sum(ends, axis) / 2) * dx;
}

Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim) {
  return at::trapezoid(y, x, dim);
}

Tensor trapz(const Tensor& y, double dx, int64_t dim) {
  return at::trapezoid(y, dx, dim);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t axis = maybe_wrap_dim(dim, y.dim());
  check_no_bool("cumulative_trapezoid", y, x);
  const Tensor width = widths("cumulative_trapezoid", y, x, axis);
  return at::cumsum((after(y, axis) + before(y, axis)) * width, axis) / 2;
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
  check_spacing("cumulative_trapezoid", y, dx);
  const int64_t axis = maybe_wrap_dim(dim, y.dim());
  return at::cumsum(after(y, axis) + before(y, axis), axis) * (dx.toDouble() / 2);
}

// ---- cross -----------------------------------------------------------------------------------

namespace {

// Contiguous tensors of `outer` blocks, each of three rows of `inner` numbers.
template <class T>
void cross_blocks(const T* a, const T* b, T* out, int64_t outer, int64_t inner) {
  for (int64_t block = 0; block < outer; ++block, a += 3 * inner, b += 3 * inner) {
    for (int64_t i = 0; i < inner; ++i) {
      const T a0 = a[i], a1 = a[inner + i], a2 = a[2 * inner + i];
      const T b0 = b[i], b1 = b[inner + i], b2 = b[2 * inner + i];
      out[i] = a1 * b2 - a2 * b1;
      out[inner + i] = a2 * b0 - a0 * b2;
      out[2 * inner + i] = a0 * b1 - a1 * b0;
    }
    out += 3 * inner;
  }
}

Tensor cross_on_cpu(const Tensor& a, const Tensor& b, int64_t axis) {
  Tensor result = at::empty(a.sizes(), a.options());
  if (result.numel() == 0) {
    return result;
  }
  const Tensor x = a.contiguous(), y = b.contiguous();
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < a.dim(); ++d) {
    inner *= a.size(d);
  }
  const int64_t block = 3 * inner, outer = a.numel() / block;
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "cross", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    const auto* other = y.const_data_ptr<scalar_t>();
    auto* to = result.mutable_data_ptr<scalar_t>();
    at::parallel_for(
        0, outer, std::max<int64_t>(1, 32768 / block), [&](int64_t begin, int64_t end) {
          const int64_t skipped = begin * block;
          cross_blocks(from + skipped, other + skipped, to + skipped, end - begin, inner);
        });
  });
  return result;
}

} // namespace

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  TORCH_CHECK(
      self.dim() == other.dim(), "linalg.cross: inputs must have the same number of dimensions.");
  TORCH_CHECK(
      self.size(dim) == 3 && other.size(dim) == 3, "linalg.cross: inputs dimension ", dim,
      " must have length 3. Got ", self.size(dim), " and ", other.size(dim));
  TORCH_CHECK_NOT_IMPLEMENTED(self.scalar_type() != kBool, "\"cross\" not implemented for 'Bool'");
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), "expected scalar type ", self.scalar_type(),
      " but found ", other.scalar_type());
  const auto shapes = at::broadcast_tensors({self, other});
  const int64_t axis = maybe_wrap_dim(dim, self.dim());
  const auto turned = [axis](const Tensor& t, int64_t shift) { return at::roll(t, shift, axis); };
  const Tensor& a = shapes[0];
  const Tensor& b = shapes[1];
  if (a.is_cpu() && (a.scalar_type() == kFloat || a.scalar_type() == kDouble)) {
    return cross_on_cpu(a, b, axis);
  }
  return turned(a, -1) * turned(b, 1) - turned(a, 1) * turned(b, -1);
}

namespace {

int64_t cross_dim(const Tensor& self, std::optional<int64_t> dim) {
  if (dim) {
    return *dim;
  }
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 3) {
      return d;
    }
  }
  TORCH_CHECK(false, "no dimension of size 3 in input");
}

} // namespace

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (!dim) {
    TORCH_WARN_ONCE(
        "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the "
        "dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to "
        "agree with that of linalg.cross in a future release.");
  }
  return at::linalg_cross(self, other, cross_dim(self, dim));
}

Tensor& cross_out(
    const Tensor& self, const Tensor& other, std::optional<int64_t> dim, Tensor& out) {
  return at::linalg_cross_out(out, self, other, cross_dim(self, dim));
}

// ---- std_mean --------------------------------------------------------------------------------

std::tuple<Tensor, Tensor> std_mean(
    const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
    bool keepdim) {
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(),
      "std_mean only support floating point and complex dtypes");
  const auto [variance, mean] = at::var_mean(self, dim, correction, keepdim);
  return {at::sqrt(variance), mean};
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
  return at::std_mean(self, std::nullopt, Scalar(unbiased ? 1 : 0));
}

std::tuple<Tensor, Tensor> std_mean(
    const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::std_mean(self, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

} // namespace at::native
