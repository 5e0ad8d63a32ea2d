// Comparisons, logical and bitwise operators.

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

// ---- logical and bitwise: the results when both arguments are true, and when exactly one is

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

REGISTER_CUDA_DISPATCH(eq_stub, &eq_kernel_cuda)
REGISTER_CUDA_DISPATCH(ne_stub, &ne_kernel_cuda)
REGISTER_CUDA_DISPATCH(lt_stub, &lt_kernel_cuda)
REGISTER_CUDA_DISPATCH(gt_stub, &gt_kernel_cuda)
REGISTER_CUDA_DISPATCH(le_stub, &le_kernel_cuda)
REGISTER_CUDA_DISPATCH(ge_stub, &ge_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_and_stub, &logical_and_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_or_stub, &logical_or_kernel_cuda)
REGISTER_CUDA_DISPATCH(logical_xor_stub, &logical_xor_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_and_stub, &bitwise_and_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_or_stub, &bitwise_or_kernel_cuda)
REGISTER_CUDA_DISPATCH(bitwise_xor_stub, &bitwise_xor_kernel_cuda)

} // namespace at::native
