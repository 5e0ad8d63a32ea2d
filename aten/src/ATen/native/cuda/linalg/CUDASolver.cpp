#include <ATen/native/cuda/linalg/CUDASolver.h>

#include <ATen/cuda/CUDABlasHandle.h>
#include <ATen/native/cuda/linalg/CUDASolverHandle.h>
#include <ATen/cuda/HandlePool.h>
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <memory>
#include <string>

namespace at::cuda {
namespace {

cusolverDnHandle_t create_handle() {
  cusolverDnHandle_t handle = nullptr;
  TORCH_CUSOLVER_CHECK(cusolverDnCreate(&handle));
  return handle;
}

} // namespace

cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
  const cusolverDnHandle_t handle =
      HandlePool<cusolverDnHandle_t, create_handle>::mine(c10::cuda::current_device());
  TORCH_CUSOLVER_CHECK(cusolverDnSetStream(handle, c10::cuda::getCurrentCUDAStream()));
  return handle;
}

namespace solver {

void throw_cusolver_error(cusolverStatus_t status, const char* call) {
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, static_cast<int>(status),
      "cusolver error: status " + std::to_string(static_cast<int>(status)) + " when calling `" +
          call + "`. It may help to choose another `driver`, or to use double precision");
}

namespace {

// The types of NVIDIA's libraries, which have complex numbers of their own.
template <typename T>
struct Native {
  using type = T;
};
template <>
struct Native<c10::complex<float>> {
  using type = cuComplex;
};
template <>
struct Native<c10::complex<double>> {
  using type = cuDoubleComplex;
};
template <typename T>
using native_type = typename Native<T>::type;

template <typename T>
native_type<T>* raw(T* data) {
  return reinterpret_cast<native_type<T>*>(data);
}
template <typename T>
const native_type<T>* raw(const T* data) {
  return reinterpret_cast<const native_type<T>*>(data);
}
template <typename T>
native_type<T>** raw(T** data) {
  return reinterpret_cast<native_type<T>**>(data);
}
template <typename T>
const native_type<T>* const* raw(const T* const* data) {
  return reinterpret_cast<const native_type<T>* const*>(data);
}

cublasFillMode_t fill_mode(char uplo) {
  return uplo == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
cublasOperation_t operation(char trans) {
  return trans == 'N' ? CUBLAS_OP_N : trans == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}

// Scratch memory, which belongs to the current stream.
template <typename T>
struct Workspace {
  explicit Workspace(int count)
      : memory(c10::cuda::CUDACachingAllocator::get()->allocate(
            sizeof(T) * static_cast<size_t>(std::max(count, 1)))) {}
  native_type<T>* data() const { return static_cast<native_type<T>*>(memory.get()); }
  c10::DataPtr memory;
};

struct JacobiInfo {
  JacobiInfo() { TORCH_CUSOLVER_CHECK(cusolverDnCreateGesvdjInfo(&value)); }
  JacobiInfo(const JacobiInfo&) = delete;
  JacobiInfo& operator=(const JacobiInfo&) = delete;
  ~JacobiInfo() { cusolverDnDestroyGesvdjInfo(value); }
  gesvdjInfo_t value = nullptr;
};

} // namespace

// P is the letter of the type; Q, that of the routines with another name for complex numbers.
#define AT_SOLVER(P, Q, E, T, Real)                                                               \
  void potrf(char uplo, int n, T* a, int* info) {                                                 \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    int size = 0;                                                                                 \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##potrf_bufferSize(handle, fill_mode(uplo), n, raw(a), n, &size));           \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##potrf(handle, fill_mode(uplo), n, raw(a), n, work.data(), size, info));    \
  }                                                                                               \
  void potrf_batched(char uplo, int n, T** a, int* info, int count) {                             \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##potrfBatched(                                             \
        getCurrentCUDASolverDnHandle(), fill_mode(uplo), n, raw(a), n, info, count));             \
  }                                                                                               \
  void getrf(int m, int n, T* a, int* pivots, int* info) {                                        \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    int size = 0;                                                                                 \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##getrf_bufferSize(handle, m, n, raw(a), m, &size));        \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##getrf(handle, m, n, raw(a), m, work.data(), pivots, info));                \
  }                                                                                               \
  void getrf_batched(int n, T** a, int* pivots, int* info, int count) {                           \
    TORCH_CUDABLAS_CHECK(                                                                         \
        cublas##P##getrfBatched(getCurrentCUDABlasHandle(), n, raw(a), n, pivots, info, count));  \
  }                                                                                               \
  void getrs(char trans, int n, int columns, const T* a, const int* pivots, T* b, int* info) {    \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##getrs(                                                    \
        getCurrentCUDASolverDnHandle(), operation(trans), n, columns, raw(a), n, pivots, raw(b),  \
        n, info));                                                                                \
  }                                                                                               \
  void getrs_batched(                                                                             \
      char trans, int n, int columns, const T* const* a, const int* pivots, T** b, int count) {   \
    int info = 0;                                                                                 \
    TORCH_CUDABLAS_CHECK(cublas##P##getrsBatched(                                                 \
        getCurrentCUDABlasHandle(), operation(trans), n, columns, raw(a), n, pivots, raw(b), n,   \
        &info, count));                                                                           \
    TORCH_INTERNAL_ASSERT(info == 0, "argument ", -info, " of getrsBatched");                     \
  }                                                                                               \
  void geqrf(int m, int n, T* a, T* tau, int* info) {                                             \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    int size = 0;                                                                                 \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##geqrf_bufferSize(handle, m, n, raw(a), m, &size));        \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##geqrf(handle, m, n, raw(a), m, raw(tau), work.data(), size, info));        \
  }                                                                                               \
  void orgqr(int m, int n, int k, T* a, const T* tau, int* info) {                                \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    int size = 0;                                                                                 \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##Q##_bufferSize(handle, m, n, k, raw(a), m, raw(tau), &size));              \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(                                                                         \
        cusolverDn##P##Q(handle, m, n, k, raw(a), m, raw(tau), work.data(), size, info));         \
  }                                                                                               \
  void syevd(char jobz, char uplo, int n, T* a, Real* values, int* info) {                        \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    const auto mode = jobz == 'V' ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;        \
    int size = 0;                                                                                 \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##E##_bufferSize(                                           \
        handle, mode, fill_mode(uplo), n, raw(a), n, values, &size));                             \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##E(                                                        \
        handle, mode, fill_mode(uplo), n, raw(a), n, values, work.data(), size, info));           \
  }                                                                                               \
  void gesvd(SvdDriver driver, char job, int m, int n, T* a, Real* s, T* u, T* v, int* info) {    \
    const auto handle = getCurrentCUDASolverDnHandle();                                           \
    int size = 0;                                                                                 \
    if (driver == SvdDriver::QR) {                                                                \
      /* This routine writes V^H. */                                                              \
      TORCH_CUSOLVER_CHECK(cusolverDn##P##gesvd_bufferSize(handle, m, n, &size));                 \
      const Workspace<T> work(size);                                                              \
      const Workspace<Real> rest(std::min(m, n));                                                 \
      TORCH_CUSOLVER_CHECK(cusolverDn##P##gesvd(                                                  \
          handle, static_cast<signed char>(job), static_cast<signed char>(job), m, n, raw(a), m,  \
          s, raw(u), m, raw(v), n, work.data(), size, rest.data(), info));                        \
      return;                                                                                     \
    }                                                                                             \
    const auto mode = job == 'N' ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;         \
    const int economy = job == 'S';                                                               \
    const JacobiInfo parameters;                                                                  \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##gesvdj_bufferSize(                                        \
        handle, mode, economy, m, n, raw(a), m, s, raw(u), m, raw(v), n, &size,                   \
        parameters.value));                                                                       \
    const Workspace<T> work(size);                                                                \
    TORCH_CUSOLVER_CHECK(cusolverDn##P##gesvdj(                                                   \
        handle, mode, economy, m, n, raw(a), m, s, raw(u), m, raw(v), n, work.data(), size, info, \
        parameters.value));                                                                       \
  }
AT_SOLVER(S, orgqr, syevd, float, float)
AT_SOLVER(D, orgqr, syevd, double, double)
AT_SOLVER(C, ungqr, heevd, c10::complex<float>, float)
AT_SOLVER(Z, ungqr, heevd, c10::complex<double>, double)
#undef AT_SOLVER

uintptr_t current_handle() {
  return reinterpret_cast<uintptr_t>(getCurrentCUDASolverDnHandle());
}

} // namespace solver
} // namespace at::cuda
