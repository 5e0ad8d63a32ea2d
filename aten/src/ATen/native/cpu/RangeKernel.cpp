#include <ATen/native/RangeFactories.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/cpu/vec/vec_base.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace at::native {
namespace {

// a * b + c, rounded once where the machine has FMA.
template <typename T>
T multiply_add(T a, T b, T c) {
  if constexpr (vec::has_fma && std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  }
  return a * b + c;
}

// Points [begin, end) of the range. To have PyTorch's last bits, the first point of each 32 bytes
// is rounded and the others count from it; those that fill no 64 bytes are computed one by one.
template <typename T>
void arange_points(T* out, int64_t begin, int64_t end, double start, double step) {
  constexpr int64_t lanes = 32 / sizeof(T);
  const auto point = [=](int64_t i) {
    return static_cast<T>(multiply_add(step, static_cast<double>(i), start));
  };
  const double lane_step = sizeof(T) == 2 ? static_cast<float>(step) : step;
  const int64_t whole = begin + (end - begin) / (2 * lanes) * (2 * lanes);
  for (int64_t i = begin; i < whole; i += lanes) {
    const auto first = static_cast<double>(point(i));
    for (int32_t lane = 0; lane < lanes; ++lane) {
      out[i + lane] = static_cast<T>(multiply_add(lane_step, static_cast<double>(lane), first));
    }
  }
  for (int64_t i = whole; i < end; ++i) {
    out[i] = point(i);
  }
}

template <typename T>
void arange_typed(T* out, int64_t count, const Scalar& start, const Scalar& step) {
  if constexpr (std::is_integral_v<T>) {
    const auto base = static_cast<uint64_t>(start.to<int64_t>());
    const auto stride = static_cast<uint64_t>(step.to<int64_t>());
    at::parallel_for(0, count, at::internal::GRAIN_SIZE, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<T>(base + stride * static_cast<uint64_t>(i));
      }
    });
  } else {
    const auto base = start.to<double>();
    const auto stride = step.to<double>();
    at::parallel_for(0, count, at::internal::GRAIN_SIZE, [=](int64_t begin, int64_t end) {
      arange_points(out, begin, end, base, stride);
    });
  }
}

void arange_kernel(const TensorBase& out, const Scalar& start, const Scalar& step) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, out.scalar_type(), "arange_cpu", [&] {
    arange_typed(out.mutable_data_ptr<scalar_t>(), out.numel(), start, step);
  });
}

// Each half counts from its own end, so that the last point is exactly `end`. Like PyTorch, 16-bit
// ranges round after every operation.
template <typename T, typename Step>
void linspace_typed(T* out, int64_t steps, Step start, Step end) {
  const Step step = (end - start) / static_cast<Step>(steps - 1);
  const int64_t halfway = steps / 2;
  at::parallel_for(0, steps, at::internal::GRAIN_SIZE, [=](int64_t first, int64_t last) {
    for (int64_t i = first; i < std::min(last, halfway); ++i) {
      out[i] = static_cast<T>(multiply_add(step, static_cast<Step>(i), start));
    }
    for (int64_t i = std::max(first, halfway); i < last; ++i) {
      out[i] = static_cast<T>(multiply_add(-step, static_cast<Step>(steps - i - 1), end));
    }
  });
}

void linspace_kernel(const TensorBase& out, const Scalar& start, const Scalar& end) {
  const int64_t steps = out.numel(); // more than one point
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(kHalf, kBFloat16, out.scalar_type(), "linspace_cpu", [&] {
    using Step = std::conditional_t<std::is_integral_v<scalar_t>, double, scalar_t>;
    auto* data = out.mutable_data_ptr<scalar_t>();
    linspace_typed<scalar_t, Step>(
        data, steps, static_cast<Step>(start.to<scalar_t>()),
        static_cast<Step>(end.to<scalar_t>()));
  });
}

} // namespace

REGISTER_DISPATCH(arange_stub, &arange_kernel);
REGISTER_DISPATCH(linspace_stub, &linspace_kernel);

} // namespace at::native
