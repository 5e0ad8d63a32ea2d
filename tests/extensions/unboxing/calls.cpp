// Calls generated functions of at::unboxing by signature, with values that Python passes.

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/unboxed_kernels.h>
#include <torch/library.h>

namespace {

using c10::IValue;
using torch::jit::Stack;

// Calls the function and returns the only value that it leaves above one that was there before.
IValue call(const char* signature, Stack arguments) {
  const auto kernel = torch::jit::findUnboxedKernel(signature);
  TORCH_CHECK(kernel != nullptr, "no function for ", signature);
  arguments.insert(arguments.begin(), IValue(int64_t{7}));
  kernel(arguments);
  TORCH_CHECK(arguments.size() == 2 && arguments[0].toInt() == 7, "wrong number of results");
  return arguments[1];
}

std::vector<at::Tensor> call_several(const char* signature, Stack stack) {
  torch::jit::findUnboxedKernel(signature)(stack);
  std::vector<at::Tensor> results;
  for (const IValue& value : stack) {
    results.push_back(value.toTensor());
  }
  return results;
}

TORCH_LIBRARY(unboxing_test, m) {
  m.def("signatures() -> str", [] {
    std::string lines;
    for (const std::string& each : torch::jit::unboxedSignatures())
      lines += each + "\n";
    return lines;
  });
  m.def(
      "add(Tensor x, Tensor y, Scalar alpha) -> Tensor",
      [](const at::Tensor& x, const at::Tensor& y, const at::Scalar& alpha) {
        return call(
                   "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                   {x, y, alpha})
            .toTensor();
      });
  m.def(
      "sum(Tensor x, int[] dim, bool keepdim) -> Tensor",
      [](const at::Tensor& x, at::IntArrayRef dim, bool keepdim) {
        return call(
                   "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, "
                   "ScalarType? dtype=None) -> Tensor",
                   {x, IValue(dim.vec()), keepdim, IValue()})
            .toTensor();
      });
  m.def("cat(Tensor[] xs, int dim) -> Tensor", [](at::TensorList xs, int64_t dim) {
    return call("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", {IValue(xs.vec()), dim})
        .toTensor();
  });
  m.def("zeros(int[] size) -> Tensor", [](at::IntArrayRef size) {
    return call(
               "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None) -> Tensor",
               {IValue(size.vec()), static_cast<int64_t>(at::kLong), IValue(), IValue(), IValue()})
        .toTensor();
  });
  m.def("relu_(Tensor(a!) x) -> Tensor(a!)", [](at::Tensor& x) -> at::Tensor& {
    TORCH_CHECK(
        call("aten::relu_(Tensor(a!) self) -> Tensor(a!)", {x}).toTensor().is_same(x),
        "the result is another tensor");
    return x;
  });
  m.def("topk(Tensor x, int k) -> Tensor[]", [](const at::Tensor& x, int64_t k) {
    return call_several(
        "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> "
        "(Tensor values, Tensor indices)",
        {x, k, int64_t{-1}, true, true});
  });
  m.def("layer_norm(Tensor x) -> Tensor[]", [](const at::Tensor& x) {
    return call_several(
        "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? "
        "bias, float eps) -> (Tensor, Tensor, Tensor)",
        {x, IValue(std::vector<int64_t>{x.size(-1)}), IValue(), IValue(), 1e-5});
  });
  m.def("has_kernel(str signature) -> bool", [](std::string_view signature) {
    return torch::jit::findUnboxedKernel(signature) != nullptr;
  });
}

} // namespace
