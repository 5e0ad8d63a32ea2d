// Products of matrices and triangular systems without cuBLAS.

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/Functors.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <ATen/native/cuda/OwnBlas.h>
#include <c10/cuda/CUDAShared.h>

#include <cstdlib>
#include <string_view>

namespace at::native {
namespace {

// A block computes a square of the result. It goes through the inner dimension in steps: its
// threads bring a slice of each operand into shared memory, and each multiplies a 4 by 4 grid of
// them whose rows and columns lie 16 apart, so that neighbors read neighboring words.
constexpr int kSide = 64;
constexpr int kDepth = 16;
constexpr int kThreads = 256;
constexpr int kEach = 4;
constexpr int kApart = kSide / kEach;
constexpr int kRow = kSide + 4; // padding, against conflicts where columns are stored
constexpr int64_t kMaxBatches = 65535;
static_assert(kApart * kApart == kThreads && kSide * kDepth == kEach * kThreads);

struct Operand {
  int64_t outer, inner; // strides
  int64_t step;         // from one matrix of the batch to the next
};
struct Product {
  int64_t m, n, k, count;
  Operand a, b;
  int64_t c_row, c_col, c_step;
};

// Brings elements [first, first + kSide) by [start, start + kDepth) to `tile`, zeros outside.
// Neighboring threads read neighboring addresses.
template <typename T, typename Wide>
C10_DEVICE void load_slice(
    const T* data, const Operand& operand, int64_t first, int64_t size, int64_t start,
    int64_t depth, Wide* tile) {
  const bool inner_first = operand.inner == 1;
  const int thread = static_cast<int>(threadIdx.x);
  int outer = inner_first ? thread / kDepth : thread % kSide;
  int inner = inner_first ? thread % kDepth : thread / kSide;
  const int outer_step = inner_first ? kThreads / kDepth : 0;
  const int inner_step = inner_first ? 0 : kThreads / kSide;
  const T* from = data + (first + outer) * operand.outer + (start + inner) * operand.inner;
  const int64_t step = outer_step * operand.outer + inner_step * operand.inner;
  const int outer_end = static_cast<int>(size - first < kSide ? size - first : kSide);
  const int inner_end = static_cast<int>(depth - start < kDepth ? depth - start : kDepth);
#pragma unroll
  for (int part = 0; part < kEach; ++part) {
    const bool inside = outer < outer_end && inner < inner_end;
    tile[inner * kRow + outer] = inside ? static_cast<Wide>(*from) : Wide(0);
    from += step;
    outer += outer_step;
    inner += inner_step;
  }
}

template <typename T, typename Wide>
__global__ void __launch_bounds__(kThreads, 1)
    gemm_kernel(Product p, const T* a, const T* b, T* c, Wide alpha, Wide beta) {
  C10_SHARED(Wide, left, kDepth * kRow);
  C10_SHARED(Wide, right, kDepth * kRow);
  const int64_t tiles = (p.n + kSide - 1) / kSide;
  const int64_t row = blockIdx.x / tiles * kSide, column = blockIdx.x % tiles * kSide;
  const int y = static_cast<int>(threadIdx.x) / kApart, x = static_cast<int>(threadIdx.x) % kApart;
  for (int64_t batch = blockIdx.y; batch < p.count; batch += gridDim.y) {
    const T* a_matrix = a + batch * p.a.step;
    const T* b_matrix = b + batch * p.b.step;
    Wide sums[kEach][kEach] = {};
    for (int64_t start = 0; start < p.k; start += kDepth) {
      load_slice(a_matrix, p.a, row, p.m, start, p.k, left);
      load_slice(b_matrix, p.b, column, p.n, start, p.k, right);
      __syncthreads();
#pragma unroll 4
      for (int d = 0; d < kDepth; ++d) {
        Wide from_left[kEach], from_right[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
          from_left[i] = left[d * kRow + y + i * kApart];
          from_right[i] = right[d * kRow + x + i * kApart];
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
#pragma unroll
          for (int j = 0; j < kEach; ++j) {
            sums[i][j] += from_left[i] * from_right[j];
          }
        }
      }
      __syncthreads();
    }
    T* corner = c + batch * p.c_step + (row + y) * p.c_row + (column + x) * p.c_col;
    const int rows = static_cast<int>(p.m - row < kSide ? p.m - row : kSide);
    const int columns = static_cast<int>(p.n - column < kSide ? p.n - column : kSide);
#pragma unroll
    for (int i = 0; i < kEach; ++i, corner += kApart * p.c_row) {
      T* out = corner;
#pragma unroll
      for (int j = 0; j < kEach; ++j, out += kApart * p.c_col) {
        if (y + i * kApart < rows && x + j * kApart < columns) {
          Wide sum = alpha * sums[i][j];
          if (beta != Wide(0)) sum += beta * static_cast<Wide>(*out);
          *out = static_cast<T>(sum);
        }
      }
    }
  }
}

// A thread for each column of the right side.
template <typename T>
void substitute(
    bool upper, bool unit, int n, int columns, const T* const* a, T* const* b, int count) {
  for_each_index(static_cast<int64_t>(count) * columns, [=] C10_DEVICE(int64_t at) {
    const T* matrix = a[at / columns];
    T* x = b[at / columns] + at % columns * n;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t row = upper ? n - 1 - step : step;
      T sum = x[row];
      for (int64_t k = upper ? row + 1 : 0; k < (upper ? n : row); ++k) {
        sum -= matrix[row + k * n] * x[k];
      }
      x[row] = unit ? sum : sum / matrix[row + row * n];
    }
  });
}

} // namespace

bool prefers_own_gemm() {
  static const bool own = [] {
    const char* choice = std::getenv("ATEN_CUDA_GEMM");
    return choice != nullptr && std::string_view(choice) == "own";
  }();
  return own;
}

void own_gemm_batch(
    c10::ScalarType dtype, const Gemm& g, int64_t count, int64_t a_step, int64_t b_step,
    int64_t c_step, const c10::Scalar& alpha, const c10::Scalar& beta) {
  const Product p = {
      g.m,     g.n,     g.k,   count, {g.a_row, g.a_col, a_step}, {g.b_col, g.b_row, b_step},
      g.c_row, g.c_col, c_step};
  const dim3 grid(
      static_cast<unsigned>(ceil_div(g.m, kSide) * ceil_div(g.n, kSide)),
      static_cast<unsigned>(std::min(count, kMaxBatches)));
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, dtype, "gemm_cuda", [&] {
    using Wide = math_type<scalar_t>;
    launch_on_current_stream(
        gemm_kernel<scalar_t, Wide>, grid, kThreads, 0, p, static_cast<const scalar_t*>(g.a),
        static_cast<const scalar_t*>(g.b), static_cast<scalar_t*>(g.c), alpha.to<Wide>(),
        beta.to<Wide>());
  });
}

void own_triangular_solve(
    c10::ScalarType dtype, bool upper, bool unit, int n, int columns, const void* const* a,
    void* const* b, int count) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(dtype, "triangular_solve_cuda", [&] {
    substitute(
        upper, unit, n, columns, reinterpret_cast<const scalar_t* const*>(a),
        reinterpret_cast<scalar_t* const*>(b), count);
  });
}

} // namespace at::native
