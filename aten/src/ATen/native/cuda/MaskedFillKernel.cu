// masked_fill_.

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/MaskedFill.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/native/cuda/Loops.cuh>

#include <cstring>

namespace at::native {
namespace {

template <typename T>
struct Replace {
  T value;
  C10_HOST_DEVICE T operator()(T kept, bool masked) const { return masked ? value : kept; }
};

void masked_fill_kernel_cuda(const Tensor& self, const Tensor& mask, const ScalarBytes& value) {
  auto iter = TensorIteratorConfig()
                  .set_check_mem_overlap(false)
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .add_output(self)
                  .add_const_input(self)
                  .add_const_input(mask)
                  .build();
  dispatch_itemsize(self.itemsize(), [&](auto element) {
    std::memcpy(&element, value.data, sizeof(element));
    gpu_kernel_nocast(iter, Replace<decltype(element)>{element});
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(masked_fill_stub, &masked_fill_kernel_cuda)

} // namespace at::native
