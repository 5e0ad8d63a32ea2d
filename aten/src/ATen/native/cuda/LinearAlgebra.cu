// The steps of linear algebra that need no cuSOLVER: triangular systems, and the order of rows that
// exchanges of rows lead to. Factorizations are in linalg/.

#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDABlas.h>
#include <ATen/native/LinalgStubs.h>
#include <ATen/native/cuda/MatrixAddresses.cuh>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

// One thread exchanges the rows of one matrix, as the factorization did.
void pivot_order_cuda(const Tensor& pivots, const Tensor& order) {
  const c10::cuda::CUDAGuard guard(pivots.device());
  const int64_t least = pivots.size(-1), rows = order.size(-1);
  const auto* pivot = pivots.const_data_ptr<int32_t>();
  auto* places = order.mutable_data_ptr<int64_t>();
  for_each_index(order.size(0), [=] C10_DEVICE(int64_t b) {
    int64_t* place = places + b * rows;
    for (int64_t i = 0; i < rows; ++i) {
      place[i] = i;
    }
    for (int64_t i = 0; i < least; ++i) {
      const int64_t other = pivot[b * least + i] - 1;
      const int64_t kept = place[i];
      place[i] = place[other];
      place[other] = kept;
    }
  });
}

void triangular_solve_cuda(const Tensor& b, const Tensor& a, bool upper, bool unit) {
  const c10::cuda::CUDAGuard guard(b.device());
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(b.scalar_type(), "triangular_solve_cuda", [&] {
    const Pointers<scalar_t> matrices(a), sides(b);
    at::cuda::blas::triangular_solve(
        b.scalar_type(), upper, unit, to_int(b.size(-2)), to_int(b.size(-1)),
        reinterpret_cast<const void* const*>(matrices.data()),
        reinterpret_cast<void* const*>(sides.data()), to_int(batch_count(b)));
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(pivot_order_stub, &pivot_order_cuda)
REGISTER_CUDA_DISPATCH(triangular_solve_stub, &triangular_solve_cuda)

} // namespace at::native
