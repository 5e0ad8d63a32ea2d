// arange and linspace, of contiguous tensors.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/native/RangeFactories.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>

namespace at::native {
namespace {

constexpr int kThreads = 256;

template <typename T, typename Number>
__global__ void __launch_bounds__(kThreads)
    arange_kernel(T* out, int64_t count, Number start, Number step) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) {
    out[i] = static_cast<T>(start + step * static_cast<Number>(i));
  }
}

// Each half counts from its own end, so that the last point is exactly `end`.
template <typename T, typename Number>
__global__ void __launch_bounds__(kThreads)
    linspace_kernel(T* out, int64_t count, Number start, Number end, Number step) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) {
    out[i] = i < count / 2 ? static_cast<T>(start + step * static_cast<Number>(i))
                           : static_cast<T>(end - step * static_cast<Number>(count - i - 1));
  }
}

template <typename T, typename... Parameters, typename... Arguments>
void launch_points(
    void (*kernel)(T*, int64_t, Parameters...), const TensorBase& out, Arguments... arguments) {
  const c10::cuda::CUDAGuard guard(out.device());
  const int64_t count = out.numel();
  C10_CUDA_CHECK(at::cuda::launch(
      kernel, static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0,
      c10::cuda::getCurrentCUDAStream(), static_cast<T*>(out.mutable_data_ptr()), count,
      arguments...));
}

void arange_kernel_cuda(const TensorBase& out, const Scalar& start, const Scalar& step) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, out.scalar_type(), "arange_cuda", [&] {
    // One call for both kinds: nvcc also looks for kernels that only a discarded branch names.
    constexpr bool kIntegral = std::is_integral_v<scalar_t>;
    using Value = std::conditional_t<kIntegral, int64_t, double>;
    using Number = std::conditional_t<kIntegral, uint64_t, double>; // wraps around
    launch_points(
        &arange_kernel<scalar_t, Number>, out, static_cast<Number>(start.to<Value>()),
        static_cast<Number>(step.to<Value>()));
  });
}

template <typename T>
struct PointType {
  using type = std::conditional_t<std::is_integral_v<T>, double, at::opmath_type<T>>;
};

void linspace_kernel_cuda(const TensorBase& out, const Scalar& start, const Scalar& end) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(kHalf, kBFloat16, out.scalar_type(), "linspace_cuda", [&] {
    using Number = typename PointType<scalar_t>::type;
    const auto first = static_cast<Number>(start.to<scalar_t>());
    const auto last = static_cast<Number>(end.to<scalar_t>());
    const Number step = (last - first) / static_cast<Number>(out.numel() - 1);
    launch_points(&linspace_kernel<scalar_t, Number>, out, first, last, step);
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(arange_stub, &arange_kernel_cuda)
REGISTER_CUDA_DISPATCH(linspace_stub, &linspace_kernel_cuda)

} // namespace at::native
