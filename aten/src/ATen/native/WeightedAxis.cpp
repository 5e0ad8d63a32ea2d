// Filters for interpolation, and their application to tensors.

#include <ATen/native/WeightedAxis.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/native/UpSample.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/round.h>
#include <ATen/ops/to.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace at::native {

WeightedAxis transposed(const WeightedAxis& axis, int64_t in) {
  WeightedAxis result;
  result.begin.assign(static_cast<size_t>(in) + 1, 0);
  for (const int64_t from : axis.index) {
    ++result.begin[from + 1];
  }
  for (int64_t i = 0; i < in; ++i) {
    result.begin[i + 1] += result.begin[i];
  }
  result.index.resize(axis.index.size());
  result.weight.resize(axis.index.size());
  std::vector<int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (int64_t i = 0; i < axis.size(); ++i) {
    for (int64_t k = axis.begin[i]; k < axis.begin[i + 1]; ++k) {
      const int64_t to = next[axis.index[k]]++;
      result.index[to] = i;
      result.weight[to] = axis.weight[k];
    }
  }
  return result;
}

namespace {

// The pieces of the cubic convolution filter with parameter a (Keys, 1981), at distance x.
double cubic(double x, double a) {
  x = std::abs(x);
  return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1
      : x < 2  ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
               : 0;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double filter_at(Filter filter, double x) {
  switch (filter) {
    case Filter::SmoothLinear:
      return std::max(0.0, 1 - std::abs(x));
    case Filter::SmoothCubic:
      return cubic(x, -0.5);
    default:
      return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
  }
}

double step_of(int64_t in, int64_t out, std::optional<double> factor, bool align_corners) {
  if (align_corners) {
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  return factor.has_value() && *factor > 0 ? 1 / *factor
                                           : static_cast<double>(in) / static_cast<double>(out);
}

WeightedAxis cubic_axis(int64_t in, int64_t out, double step, bool align_corners) {
  WeightedAxis axis;
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<double>(i);
    const double center = align_corners ? step * at : step * (at + 0.5) - 0.5;
    const double floor = std::floor(center);
    for (int64_t tap = -1; tap <= 2; ++tap) {
      const int64_t from = static_cast<int64_t>(floor) + tap;
      axis.add(
          std::clamp<int64_t>(from, 0, in - 1), cubic(center - static_cast<double>(from), -0.75));
    }
    axis.finish();
  }
  return axis;
}

WeightedAxis smooth_axis(Filter filter, int64_t in, int64_t out, double step) {
  const double radius = filter == Filter::SmoothLinear ? 1 : filter == Filter::SmoothCubic ? 2 : 3;
  const double width = std::max(step, 1.0), support = radius * width;
  WeightedAxis axis;
  for (int64_t i = 0; i < out; ++i) {
    const double center = step * (static_cast<double>(i) + 0.5);
    const auto first = static_cast<int64_t>(std::max(std::floor(center - support + 0.5), 0.0));
    const auto end = static_cast<int64_t>(std::floor(center + support + 0.5));
    const int64_t last = std::min(end, in);
    double total = 0;
    for (int64_t from = first; from < last; ++from) {
      axis.add(from, filter_at(filter, (static_cast<double>(from) - center + 0.5) / width));
      total += axis.weight.back();
    }
    for (auto k = static_cast<size_t>(axis.begin.back()); k < axis.weight.size(); ++k) {
      axis.weight[k] = total != 0 ? axis.weight[k] / total : axis.weight[k];
    }
    axis.finish();
  }
  return axis;
}

// The last dimension is read element by element, all others row by row.
template <typename T>
void apply(const WeightedSum& job, const T* in, T* out) {
  const WeightedAxis& axis = job.axis;
  const int64_t outer = job.outer, size = job.size, inner = job.inner;
  const std::vector<T> weight(axis.weight.begin(), axis.weight.end());
  const int64_t count = axis.size();
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (4 * inner));
  at::parallel_for(0, outer * count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = in + row / count * size * inner;
      const int64_t first = axis.begin[row % count], last = axis.begin[row % count + 1];
      T* to = out + row * inner;
      if (inner == 1) {
        T sum = 0;
        for (int64_t k = first; k < last; ++k) {
          sum += weight[k] * from[axis.index[k]];
        }
        *to = sum;
        continue;
      }
      std::fill_n(to, inner, T(0));
      for (int64_t k = first; k < last; ++k) {
        const T by = weight[k];
        const T* source = from + axis.index[k] * inner;
        for (int64_t j = 0; j < inner; ++j) {
          to[j] += by * source[j];
        }
      }
    }
  });
}

void weighted_sum_kernel(ScalarType dtype, const WeightedSum& job, const void* in, void* out) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "interpolate", [&] {
    apply(job, static_cast<const scalar_t*>(in), static_cast<scalar_t*>(out));
  });
}

bool is_identity(const WeightedAxis& axis, int64_t in) {
  bool same = axis.size() == in && static_cast<int64_t>(axis.index.size()) == in;
  for (int64_t i = 0; same && i < in; ++i) {
    same = axis.index[i] == i && axis.weight[i] == 1;
  }
  return same;
}

} // namespace

DEFINE_DISPATCH(weighted_sum_stub);
REGISTER_DISPATCH(weighted_sum_stub, &weighted_sum_kernel)

WeightedAxis filter_axis(
    Filter filter, int64_t in, int64_t out, std::optional<double> factor, bool align_corners,
    ScalarType dtype) {
  const double step = step_of(in, out, factor, align_corners);
  if (filter == Filter::Cubic) {
    return cubic_axis(in, out, step, align_corners);
  }
  if (filter != Filter::Nearest && filter != Filter::NearestExact && filter != Filter::Linear) {
    return smooth_axis(filter, in, out, step);
  }
  const AxisMap map = filter == Filter::Linear
      ? linear_axis(in, out, factor, align_corners, dtype)
      : nearest_axis(in, out, factor, filter == Filter::NearestExact);
  WeightedAxis axis;
  for (size_t i = 0; i < map.first.size(); ++i) {
    const double by = map.by.empty() ? 0 : map.by[i];
    axis.add(map.first[i], 1 - by);
    if (by != 0) {
      axis.add(map.second[i], by);
    }
    axis.finish();
  }
  return axis;
}

Tensor interpolate(const Tensor& in, const std::vector<WeightedAxis>& axes) {
  const ScalarType dtype = in.scalar_type();
  Tensor result = (dtype == kDouble ? in : at::methods::to(in, kFloat)).contiguous();
  c10::DimVector sizes(in.sizes());
  for (size_t i = axes.size(); i-- > 0;) {
    const size_t dim = sizes.size() - axes.size() + i;
    const WeightedAxis& axis = axes[i];
    const int64_t size = sizes[dim];
    if (is_identity(axis, size)) {
      continue;
    }
    int64_t outer = 1, inner = 1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      (d < dim ? outer : inner) *= d == dim ? 1 : sizes[d];
    }
    sizes[dim] = axis.size();
    Tensor next = at::empty(sizes, result.options());
    weighted_sum_stub(
        in.device().type(), result.scalar_type(), WeightedSum{axis, outer, size, inner},
        result.const_data_ptr(), next.mutable_data_ptr());
    result = next;
  }
  if (dtype == kByte) {
    result = at::clamp(at::round(result), 0, 255);
  }
  result = at::methods::to(result, dtype);
  return result.is_same(in) ? at::clone(result) : result;
}

} // namespace at::native
