// The part of cuFFT that this project calls, for the emulated device: kernels of one thread that
// call the CPU's transforms. So the work is queued in streams, and every access to memory is
// checked.

#include <ATen/native/FftPlan.h>
#include <c10/cuda/CUDALaunch.h>
#include <cufft.h>

#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

namespace {

struct Plan {
  long long length = 0, batch = 0;
  long long in_step = 0, in_distance = 0, out_step = 0, out_distance = 0;
  cufftType type = CUFFT_C2C;
  cudaStream_t stream = nullptr;
};

std::mutex mutex;
std::map<cufftHandle, Plan>& plans() {
  static std::map<cufftHandle, Plan> all;
  return all;
}

Plan* find(cufftHandle handle) {
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : &found->second;
}

using at::native::FftKind;

// A line in host memory, because the CPU's transform may use several threads, and other threads
// than the kernel's have no access to device memory.
template <typename T>
void transform_lines(const Plan& plan, FftKind kind, bool inverse, const T* in, T* out) {
  const int64_t in_unit = kind == FftKind::RealToComplex ? 1 : 2;
  const int64_t out_unit = kind == FftKind::ComplexToReal ? 1 : 2;
  const int64_t half = plan.length / 2 + 1;
  const int64_t in_points = kind == FftKind::ComplexToReal ? half : plan.length;
  const int64_t out_points = kind == FftKind::RealToComplex ? half : plan.length;
  std::vector<T> from(static_cast<size_t>(in_points * in_unit));
  std::vector<T> to(static_cast<size_t>(out_points * out_unit));
  for (int64_t line = 0; line < plan.batch; ++line) {
    for (size_t i = 0; i < from.size(); ++i) {
      const auto point = static_cast<int64_t>(i) / in_unit,
                 part = static_cast<int64_t>(i) % in_unit;
      from[i] = in[(line * plan.in_distance + point * plan.in_step) * in_unit + part];
    }
    const at::native::FftAxis axis{
        .kind = kind,
        .inverse = inverse,
        .full = false,
        .scale = 1,
        .length = plan.length,
        .in = from.data(),
        .out = to.data(),
        .in_step = in_unit,
        .out_step = out_unit,
        .sizes = {},
        .in_strides = {},
        .out_strides = {},
        .is_double = std::is_same_v<T, double>};
    at::native::fft_axes_stub.on_host(axis, int64_t{1});
    for (size_t i = 0; i < to.size(); ++i) {
      const auto point = static_cast<int64_t>(i) / out_unit;
      const auto part = static_cast<int64_t>(i) % out_unit;
      out[(line * plan.out_distance + point * plan.out_step) * out_unit + part] = to[i];
    }
  }
}

__global__ void transform_kernel(
    Plan plan, FftKind kind, bool inverse, bool is_double, const void* in, void* out) {
  if (is_double) {
    transform_lines(plan, kind, inverse, static_cast<const double*>(in), static_cast<double*>(out));
  } else {
    transform_lines(plan, kind, inverse, static_cast<const float*>(in), static_cast<float*>(out));
  }
}

cufftResult execute(
    cufftHandle handle, cufftType type, FftKind kind, bool inverse, const void* in, void* out) {
  Plan plan;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const Plan* found = find(handle);
    if (found == nullptr) return CUFFT_INVALID_PLAN;
    plan = *found;
  }
  if (plan.type != type) return CUFFT_INVALID_TYPE;
  const bool is_double = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  return at::cuda::launch(
             transform_kernel, 1, 1, 0, plan.stream, plan, kind, inverse, is_double, in, out) ==
          cudaSuccess
      ? CUFFT_SUCCESS
      : CUFFT_EXEC_FAILED;
}

} // namespace

cufftResult cufftCreate(cufftHandle* plan) {
  const std::lock_guard<std::mutex> lock(mutex);
  static cufftHandle last = 0;
  plans()[++last] = {};
  *plan = last;
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
  const std::lock_guard<std::mutex> lock(mutex);
  return plans().erase(plan) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int) {
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany64(
    cufftHandle handle, int rank, long long int* n, long long int*, long long int istride,
    long long int idist, long long int*, long long int ostride, long long int odist, cufftType type,
    long long int batch, size_t* work_size) {
  const std::lock_guard<std::mutex> lock(mutex);
  Plan* plan = find(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  if (rank != 1 || n[0] < 1 || batch < 1) return CUFFT_INVALID_VALUE;
  *plan = {n[0], batch, istride, idist, ostride, odist, type, plan->stream};
  *work_size = 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex);
  Plan* plan = find(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle, void*) {
  return CUFFT_SUCCESS;
}

#define CUDA_EMULATION_FFT(C2C, R2C, C2R, Complex, Real)                                    \
  cufftResult cufftExec##C2C(cufftHandle plan, Complex* in, Complex* out, int direction) {  \
    return execute(                                                                         \
        plan, CUFFT_##C2C, FftKind::ComplexToComplex, direction == CUFFT_INVERSE, in, out); \
  }                                                                                         \
  cufftResult cufftExec##R2C(cufftHandle plan, Real* in, Complex* out) {                    \
    return execute(plan, CUFFT_##R2C, FftKind::RealToComplex, false, in, out);              \
  }                                                                                         \
  cufftResult cufftExec##C2R(cufftHandle plan, Complex* in, Real* out) {                    \
    return execute(plan, CUFFT_##C2R, FftKind::ComplexToReal, true, in, out);               \
  }
CUDA_EMULATION_FFT(C2C, R2C, C2R, cufftComplex, cufftReal)
CUDA_EMULATION_FFT(Z2Z, D2Z, Z2D, cufftDoubleComplex, cufftDoubleReal)
#undef CUDA_EMULATION_FFT
