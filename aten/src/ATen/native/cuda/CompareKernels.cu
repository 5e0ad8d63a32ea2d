// Comparisons.

#include <ATen/Dispatch_v2.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

struct Equal {
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    return !(a == b);
  }
};
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
void equality(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_V2(
      iter.common_dtype(), name, AT_WRAP([&] { gpu_comparison<scalar_t>(iter, op); }),
      AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES),
      AT_EXPAND(AT_FLOAT8_TYPES), kComplexHalf, kHalf, kBFloat16, kBool);
}
template <typename Op>
void order(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, iter.common_dtype(), name, [&] {
    gpu_comparison<scalar_t>(iter, op);
  });
}

void eq_kernel_cuda(TensorIteratorBase& iter) {
  equality(iter, "eq_cuda", Equal());
}
void ne_kernel_cuda(TensorIteratorBase& iter) {
  equality(iter, "ne_cuda", NotEqual());
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

REGISTER_CUDA_DISPATCH(eq_stub, &eq_kernel_cuda)
REGISTER_CUDA_DISPATCH(ne_stub, &ne_kernel_cuda)
REGISTER_CUDA_DISPATCH(lt_stub, &lt_kernel_cuda)
REGISTER_CUDA_DISPATCH(gt_stub, &gt_kernel_cuda)
REGISTER_CUDA_DISPATCH(le_stub, &le_kernel_cuda)
REGISTER_CUDA_DISPATCH(ge_stub, &ge_kernel_cuda)

} // namespace at::native
