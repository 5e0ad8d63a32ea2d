// tril and triu.

#include <ATen/core/Tensor.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>

namespace at::native {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void __launch_bounds__(kThreads) triangle_kernel(
    T* out, const T* in, int64_t count, int64_t rows, int64_t columns, int64_t diagonal,
    bool upper) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) {
    const int64_t above = i % columns - i / columns % rows;
    out[i] = (upper ? above >= diagonal : above <= diagonal) ? in[i] : T{};
  }
}

void triangle(const Tensor& self, const Tensor& result, int64_t diagonal, bool upper) {
  check_not_storage_dtype(self.scalar_type(), upper ? "triu" : "tril");
  if (self.numel() == 0) {
    return;
  }
  const c10::cuda::CUDAGuard guard(self.device());
  const Tensor in = self.contiguous();
  const Tensor out =
      result.is_contiguous() ? result : at::empty_like(result, {}, MemoryFormat::Contiguous);
  const int64_t count = self.numel();
  dispatch_itemsize(self.itemsize(), [&](auto element) {
    using T = decltype(element);
    C10_CUDA_CHECK(at::cuda::launch(
        triangle_kernel<T>, static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0,
        c10::cuda::getCurrentCUDAStream(), static_cast<T*>(out.mutable_data_ptr()),
        static_cast<const T*>(in.const_data_ptr()), count, self.size(-2), self.size(-1), diagonal,
        upper));
  });
  if (!out.is_same(result)) {
    Tensor written = result;
    at::methods::copy_(written, out);
  }
}

} // namespace

TORCH_IMPL_FUNC(tril_cuda)(const Tensor& self, int64_t diagonal, const Tensor& result) {
  triangle(self, result, diagonal, /*upper=*/false);
}

TORCH_IMPL_FUNC(triu_cuda)(const Tensor& self, int64_t diagonal, const Tensor& result) {
  triangle(self, result, diagonal, /*upper=*/true);
}

} // namespace at::native
