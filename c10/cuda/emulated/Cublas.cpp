// The part of cuBLAS that this project calls, as kernels: one thread computes one element. So its
// work is queued in streams, and every access is checked, as with kernels of this project.

#include <c10/cuda/CUDALaunch.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>
#include <cublas_v2.h>

#include <algorithm>

struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
};

namespace {

struct Operand {
  int64_t leading;
  int64_t step; // from one matrix of the batch to the next
  cublasOperation_t op;
};

struct Product {
  int64_t m, n, k, count;
  Operand a, b, c;
};

template <typename T>
T conjugate(T value) {
  return value;
}
template <typename T>
c10::complex<T> conjugate(c10::complex<T> value) {
  return {value.real(), -value.imag()};
}

// Element (row, column) of op(matrix).
template <typename Wide, typename T>
Wide element(const T* matrix, const Operand& operand, int64_t row, int64_t column) {
  if (operand.op == CUBLAS_OP_N) return static_cast<Wide>(matrix[row + column * operand.leading]);
  const auto value = static_cast<Wide>(matrix[column + row * operand.leading]);
  return operand.op == CUBLAS_OP_C ? conjugate(value) : value;
}

template <typename T, typename Wide>
__global__ void gemm(Product p, const T* a, const T* b, T* c, Wide alpha, Wide beta) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= p.m * p.n * p.count) return;
  const int64_t row = index % p.m;
  const int64_t column = index / p.m % p.n;
  const int64_t batch = index / (p.m * p.n);
  const T* left = a + batch * p.a.step;
  const T* right = b + batch * p.b.step;
  Wide sum(0);
  for (int64_t i = 0; i < p.k; ++i) {
    sum += element<Wide>(left, p.a, row, i) * element<Wide>(right, p.b, i, column);
  }
  T& result = c[batch * p.c.step + row + column * p.c.leading];
  sum = alpha * sum;
  if (beta != Wide(0)) sum += beta * static_cast<Wide>(result);
  result = static_cast<T>(sum);
}

template <typename T, typename Wide>
cublasStatus_t run(
    cudaStream_t stream, const Product& p, const void* alpha, const void* a, const void* b,
    const void* beta, void* c) {
  constexpr int64_t kBlock = 64;
  const int64_t elements = p.m * p.n * p.count;
  if (elements == 0) return CUBLAS_STATUS_SUCCESS;
  const cudaError_t error = at::cuda::launch(
      gemm<T, Wide>, static_cast<unsigned>((elements + kBlock - 1) / kBlock), kBlock, 0, stream, p,
      static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
      *static_cast<const Wide*>(alpha), *static_cast<const Wide*>(beta));
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// A thread for each column of the right side.
struct Triangle {
  int size, columns, lda, ldb;
  bool upper, unit;
};
template <typename T>
void substitute(const Triangle& t, T alpha, const T* a, T* x) {
  for (int i = 0; i < t.size; ++i) {
    x[i] = alpha * x[i];
  }
  for (int step = 0; step < t.size; ++step) {
    const int row = t.upper ? t.size - 1 - step : step;
    T sum = x[row];
    for (int k = t.upper ? row + 1 : 0; k < (t.upper ? t.size : row); ++k) {
      sum -= a[row + static_cast<int64_t>(k) * t.lda] * x[k];
    }
    x[row] = t.unit ? sum : sum / a[row + static_cast<int64_t>(row) * t.lda];
  }
}
template <typename T>
__global__ void trsm(Triangle t, T alpha, const T* a, T* b) {
  substitute(t, alpha, a, b + static_cast<int64_t>(blockIdx.x) * t.ldb);
}
template <typename T>
__global__ void trsm_batched(Triangle t, T alpha, const T* const* a, T* const* b) {
  const unsigned matrix = blockIdx.x / static_cast<unsigned>(t.columns);
  const unsigned column = blockIdx.x % static_cast<unsigned>(t.columns);
  substitute(t, alpha, a[matrix], b[matrix] + static_cast<int64_t>(column) * t.ldb);
}

cublasStatus_t check_triangle(cublasSideMode_t side, cublasOperation_t op, const Triangle& t) {
  if (side != CUBLAS_SIDE_LEFT || op != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool valid = t.size > 0 && t.columns > 0 && t.lda >= t.size && t.ldb >= t.size;
  return valid ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

bool fits(const Operand& operand, int64_t rows, int64_t columns) {
  const int64_t height = operand.op == CUBLAS_OP_N ? rows : columns;
  return operand.leading >= std::max<int64_t>(1, height);
}

} // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext{device};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void* workspace, size_t bytes) {
  return workspace == nullptr && bytes > 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType a_type, int64_t lda,
    long long int a_step, const void* b, cudaDataType b_type, int64_t ldb, long long int b_step,
    const void* beta, void* c, cudaDataType c_type, int64_t ldc, long long int c_step,
    int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Product p = {m, n, k, count, {lda, a_step, op_a}, {ldb, b_step, op_b}, {ldc, c_step, {}}};
  const bool valid = std::min({m, n, k, count}) >= 0 && fits(p.a, m, k) && fits(p.b, k, n) &&
      fits(p.c, m, n) && alpha != nullptr && beta != nullptr;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (device != handle->device) return CUBLAS_STATUS_INVALID_VALUE;
  const bool in_double = compute == CUBLAS_COMPUTE_64F;
  const bool is_double = a_type == CUDA_R_64F || a_type == CUDA_C_64F;
  if (a_type != b_type || a_type != c_type || in_double != is_double) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  switch (a_type) {
    case CUDA_R_32F:
      return run<float, float>(handle->stream, p, alpha, a, b, beta, c);
    case CUDA_R_64F:
      return run<double, double>(handle->stream, p, alpha, a, b, beta, c);
    case CUDA_R_16F:
      return run<c10::Half, float>(handle->stream, p, alpha, a, b, beta, c);
    case CUDA_R_16BF:
      return run<c10::BFloat16, float>(handle->stream, p, alpha, a, b, beta, c);
    case CUDA_C_32F:
      return run<c10::complex<float>, c10::complex<float>>(handle->stream, p, alpha, a, b, beta, c);
    case CUDA_C_64F:
      return run<c10::complex<double>, c10::complex<double>>(
          handle->stream, p, alpha, a, b, beta, c);
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

#define CUDA_EMULATION_TRSM(P, T, Number)                                                          \
  cublasStatus_t cublas##P##trsm_v2(                                                               \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,   \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {   \
    const Triangle t = {m, n, lda, ldb, uplo == CUBLAS_FILL_MODE_UPPER, diag == CUBLAS_DIAG_UNIT}; \
    const cublasStatus_t status = check_triangle(side, op, t);                                     \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                            \
    const cudaError_t error = at::cuda::launch(                                                    \
        trsm<Number>, static_cast<unsigned>(n), 1, 0, handle->stream, t,                           \
        *reinterpret_cast<const Number*>(alpha), reinterpret_cast<const Number*>(a),               \
        reinterpret_cast<Number*>(b));                                                             \
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;          \
  }                                                                                                \
  cublasStatus_t cublas##P##trsmBatched(                                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,   \
      cublasDiagType_t diag, int m, int n, const T* alpha, const T* const* a, int lda,             \
      T* const* b, int ldb, int count) {                                                           \
    const Triangle t = {m, n, lda, ldb, uplo == CUBLAS_FILL_MODE_UPPER, diag == CUBLAS_DIAG_UNIT}; \
    const cublasStatus_t status = check_triangle(side, op, t);                                     \
    if (status != CUBLAS_STATUS_SUCCESS) return status;                                            \
    const cudaError_t error = at::cuda::launch(                                                    \
        trsm_batched<Number>, static_cast<unsigned>(n * count), 1, 0, handle->stream, t,           \
        *reinterpret_cast<const Number*>(alpha), reinterpret_cast<const Number* const*>(a),        \
        reinterpret_cast<Number* const*>(b));                                                      \
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;          \
  }
CUDA_EMULATION_TRSM(S, float, float)
CUDA_EMULATION_TRSM(D, double, double)
CUDA_EMULATION_TRSM(C, cuComplex, c10::complex<float>)
CUDA_EMULATION_TRSM(Z, cuDoubleComplex, c10::complex<double>)
#undef CUDA_EMULATION_TRSM
