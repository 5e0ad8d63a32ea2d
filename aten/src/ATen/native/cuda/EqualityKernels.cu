// Comparisons by equality, which more dtypes have than an order.

#include <ATen/Dispatch_v2.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

// `negate` chooses between == and != in one kernel.
struct Equality {
  bool negate;
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    return (a == b) != negate;
  }
};

void equality(TensorIteratorBase& iter, const char* name, Equality op) {
  AT_DISPATCH_V2(
      iter.common_dtype(), name, AT_WRAP([&] { gpu_comparison<scalar_t>(iter, op); }),
      AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES),
      AT_EXPAND(AT_FLOAT8_TYPES), kComplexHalf, kHalf, kBFloat16, kBool);
}

void eq_kernel_cuda(TensorIteratorBase& iter) {
  equality(iter, "eq_cuda", {.negate = false});
}
void ne_kernel_cuda(TensorIteratorBase& iter) {
  equality(iter, "ne_cuda", {.negate = true});
}

} // namespace

REGISTER_CUDA_DISPATCH(eq_stub, &eq_kernel_cuda)
REGISTER_CUDA_DISPATCH(ne_stub, &ne_kernel_cuda)

} // namespace at::native
