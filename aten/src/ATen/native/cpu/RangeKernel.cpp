#include <ATen/native/RangeFactories.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <type_traits>

namespace at::native {
namespace {

constexpr int64_t block = 4096;

// Calls f(first, count) over [begin, end) in blocks whose counters fit an int32, which every vector
// unit can convert to floating point.
template <typename F>
void for_blocks(int64_t begin, int64_t end, F&& f) {
  for (int64_t first = begin; first < end; first += block) {
    f(first, static_cast<int32_t>(std::min(block, end - first)));
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
      for_blocks(begin, end, [=](int64_t first, int32_t length) {
        const auto offset = static_cast<double>(first);
        for (int32_t i = 0; i < length; ++i) {
          out[first + i] = static_cast<T>(base + stride * (offset + static_cast<double>(i)));
        }
      });
    });
  }
}

void arange_kernel(const TensorBase& out, const Scalar& start, const Scalar& step) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, out.scalar_type(), "arange_cpu", [&] {
    arange_typed(out.mutable_data_ptr<scalar_t>(), out.numel(), start, step);
  });
}

// Each half counts from its own end, so that the last point is exactly `end`.
template <typename T, typename Step>
void linspace_typed(T* out, int64_t steps, Step start, Step end) {
  const Step step = (end - start) / static_cast<Step>(steps - 1);
  const int64_t halfway = steps / 2;
  at::parallel_for(0, steps, at::internal::GRAIN_SIZE, [=](int64_t first, int64_t last) {
    for (int64_t i = first; i < std::min(last, halfway); ++i) {
      out[i] = static_cast<T>(start + step * static_cast<Step>(i));
    }
    for (int64_t i = std::max(first, halfway); i < last; ++i) {
      out[i] = static_cast<T>(end - step * static_cast<Step>(steps - i - 1));
    }
  });
}

template <typename T>
struct LinspaceStep {
  using type = std::conditional_t<
      std::is_integral_v<T>, double,
      std::conditional_t<
          std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>>;
};

void linspace_kernel(const TensorBase& out, const Scalar& start, const Scalar& end) {
  const int64_t steps = out.numel(); // more than one point
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(kHalf, kBFloat16, out.scalar_type(), "linspace_cpu", [&] {
    using Step = typename LinspaceStep<scalar_t>::type;
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
