// fill_ and zero_.

#include <ATen/core/Tensor.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/Loops.cuh>
#include <ATen/ops/copy.h>
#include <ATen/ops/fill_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/zero_native.h>

#include <algorithm>
#include <cstring>

namespace at::native {

namespace {

template <typename T>
struct Constant {
  T value;
  C10_HOST_DEVICE T operator()() const { return value; }
};

// Returns whether every element's bytes are the same, as those of zero are, so that no kernel is
// needed.
bool fill_with_byte(const Tensor& self, const ScalarBytes& value) {
  const auto* end = value.data + self.itemsize();
  if (!self.is_non_overlapping_and_dense() ||
      !std::all_of(value.data, end, [&](unsigned char byte) { return byte == value.data[0]; })) {
    return false;
  }
  if (self.nbytes() != 0) {
    const c10::cuda::CUDAGuard guard(self.device());
    C10_CUDA_CHECK(cudaMemsetAsync(
        self.mutable_data_ptr(), value.data[0], self.nbytes(), c10::cuda::getCurrentCUDAStream()));
  }
  return true;
}

void fill_bytes(Tensor& self, const ScalarBytes& value) {
  if (fill_with_byte(self, value)) {
    return;
  }
  auto iter = TensorIterator::borrowing_nullary_op(self);
  dispatch_itemsize(self.itemsize(), [&](auto element) {
    std::memcpy(&element, value.data, sizeof(element));
    gpu_kernel_nocast(iter, Constant<decltype(element)>{element});
  });
}

} // namespace

Tensor& fill_cuda_(Tensor& self, const Scalar& value) {
  fill_bytes(self, scalar_bytes(value, self.scalar_type()));
  return self;
}

Tensor& fill_cuda_(Tensor& self, const Tensor& value) {
  TORCH_CHECK(
      value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
      value.dim(), " dimensions.");
  if (value.device() == self.device()) {
    at::methods::copy_(self, value); // the host need not know the number
    return self;
  }
  return fill_cuda_(self, at::methods::item(value));
}

Tensor& zero_cuda_(Tensor& self) {
  fill_bytes(self, ScalarBytes());
  return self;
}

} // namespace at::native
