#include <torch/csrc/jit/tensorexpr/external_functions_core.h>

#include <c10/util/Exception.h>
#include <torch/csrc/utils/foreign_memory.h>

#include <algorithm>
#include <bit>

namespace torch::jit::tensorexpr {

std::vector<at::Tensor> constructTensors(
    int64_t bufs_num, void** buf_data, const int64_t* buf_ranks, const int64_t* buf_dims,
    const int64_t* buf_strides, const int8_t* buf_dtypes) {
  std::vector<at::Tensor> tensors;
  for (int64_t n = 0; n < bufs_num; ++n) {
    const auto rank = static_cast<size_t>(buf_ranks[n]);
    const auto type = static_cast<c10::ScalarType>(buf_dtypes[n]);
    const at::IntArrayRef sizes(buf_dims, rank), strides(buf_strides, rank);
    tensors.push_back(tensor_over_memory(
        buf_data[n], sizes, strides, type, nullptr, [](void*) {}, c10::Device(c10::kCPU)));
    buf_dims += rank;
    buf_strides += rank;
  }
  return tensors;
}

double float_argument(const int64_t* words) {
  return std::bit_cast<double>(words[0]);
}

c10::Scalar scalar_argument(const int64_t* words) {
  const auto type = static_cast<c10::ScalarType>(words[0]);
  if (type == c10::ScalarType::Bool) {
    return words[1] != 0;
  }
  return c10::isFloatingType(type) ? c10::Scalar(float_argument(words + 1)) : c10::Scalar(words[1]);
}

void check_counts(
    const char* function, int64_t bufs_num, int64_t expected_bufs, int64_t args_num,
    int64_t expected_args) {
  TORCH_CHECK_VALUE(
      bufs_num == expected_bufs && args_num == expected_args, function, " takes ", expected_bufs,
      " buffers and ", expected_args, " words of further arguments, got ", bufs_num, " and ",
      args_num);
}

void check_output(
    const char* function, const at::Tensor& out, const void* data, const int64_t* dims) {
  const auto sizes = out.sizes();
  TORCH_CHECK_VALUE(
      out.data_ptr() == data && std::equal(sizes.begin(), sizes.end(), dims), function,
      " computes a tensor of sizes ", sizes, ", which are not those of the output");
}

} // namespace torch::jit::tensorexpr
