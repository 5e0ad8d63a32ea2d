// Logical and bitwise operators: the results when both arguments are true, and when exactly one is.

#include <ATen/Dispatch_v2.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

struct Logical {
  bool both, one;
  template <typename T>
  C10_HOST_DEVICE bool operator()(T a, T b) const {
    const bool x = !(a == T(0)), y = !(b == T(0));
    return x && y ? both : x != y && one;
  }
};
struct Bitwise {
  int64_t both, one; // all bits or none
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>((a & b & static_cast<T>(both)) | ((a ^ b) & static_cast<T>(one)));
  }
};

void logical(TensorIteratorBase& iter, const char* name, Logical op) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(kHalf, kBFloat16, kBool, iter.common_dtype(), name, [&] {
    gpu_comparison<scalar_t>(iter, op);
  });
}
void bitwise(TensorIteratorBase& iter, const char* name, Bitwise op) {
  AT_DISPATCH_V2(
      iter.common_dtype(), name, AT_WRAP([&] { gpu_binary<scalar_t>(iter, op); }),
      AT_EXPAND(AT_INTEGRAL_TYPES_V2), kBool);
}

void logical_and_kernel_cuda(TensorIteratorBase& iter) {
  logical(iter, "logical_and_cuda", {.both = true, .one = false});
}
void logical_or_kernel_cuda(TensorIteratorBase& iter) {
  logical(iter, "logical_or_cuda", {.both = true, .one = true});
}
void logical_xor_kernel_cuda(TensorIteratorBase& iter) {
  logical(iter, "logical_xor_cuda", {.both = false, .one = true});
}
void bitwise_and_kernel_cuda(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_and_cuda", {.both = -1, .one = 0});
}
void bitwise_or_kernel_cuda(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_or_cuda", {.both = -1, .one = -1});
}
void bitwise_xor_kernel_cuda(TensorIteratorBase& iter) {
  bitwise(iter, "bitwise_xor_cuda", {.both = 0, .one = -1});
}

} // namespace

REGISTER_CUDA_DISPATCH(logical_and_stub, &logical_and_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_or_stub, &logical_or_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_xor_stub, &logical_xor_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_and_stub, &bitwise_and_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_or_stub, &bitwise_or_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_xor_stub, &bitwise_xor_kernel_cuda)

} // namespace at::native
