// Comparisons by order.

#include <ATen/Dispatch.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

// a > b is b < a, so `swap` chooses between the two in one kernel.
struct Less {
  bool swap;
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    return swap ? b < a : a < b;
  }
};
struct LessEqual {
  bool swap;
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    return swap ? b <= a : a <= b;
  }
};

template <typename Op>
void order(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, iter.common_dtype(), name, [&] {
    gpu_comparison<scalar_t>(iter, op);
  });
}

void lt_kernel_cuda(TensorIteratorBase& iter) {
  order(iter, "lt_cuda", Less{false});
}
void gt_kernel_cuda(TensorIteratorBase& iter) {
  order(iter, "gt_cuda", Less{true});
}
void le_kernel_cuda(TensorIteratorBase& iter) {
  order(iter, "le_cuda", LessEqual{false});
}
void ge_kernel_cuda(TensorIteratorBase& iter) {
  order(iter, "ge_cuda", LessEqual{true});
}

} // namespace

REGISTER_CUDA_DISPATCH(lt_stub, &lt_kernel_cuda)
REGISTER_CUDA_DISPATCH(gt_stub, &gt_kernel_cuda)
REGISTER_CUDA_DISPATCH(le_stub, &le_kernel_cuda)
REGISTER_CUDA_DISPATCH(ge_stub, &ge_kernel_cuda)

} // namespace at::native
