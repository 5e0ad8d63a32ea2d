#include <torch/csrc/autograd/python_operator_flops.h>

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace torch::autograd {

namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

std::optional<at::Tensor> tensor_at(Arguments arguments, size_t i) {
  if (i >= arguments.size() || !arguments[i].isTensor()) return std::nullopt;
  const at::Tensor& tensor = arguments[i].toTensor();
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

// One operation for each element of the first argument.
int64_t elements(Arguments arguments) {
  const auto first = tensor_at(arguments, 0);
  return first ? first->numel() : 0;
}

// (..., n, k) times (..., k, m), the arguments at `First` and after it.
template <size_t First>
int64_t matrix_product(Arguments arguments) {
  const auto left = tensor_at(arguments, First), right = tensor_at(arguments, First + 1);
  if (!left || !right || left->dim() < 2 || right->dim() < 2) return 0;
  return 2 * left->numel() * right->size(-1);
}

// A number for each of two dimensions.
std::optional<std::array<int64_t, 2>> pair_at(Arguments arguments, size_t i) {
  if (i >= arguments.size() || !arguments[i].isIntList()) return std::nullopt;
  const std::vector<int64_t>& values = arguments[i].toIntList();
  if (values.empty()) return std::nullopt;
  return std::array<int64_t, 2>{values.front(), values.back()};
}

// conv2d(input, weight, bias, stride, padding, dilation, groups); padding given by name and inputs
// without a batch are not counted, as in PyTorch.
int64_t convolution(Arguments arguments) {
  const auto input = tensor_at(arguments, 0), weight = tensor_at(arguments, 1);
  const auto stride = pair_at(arguments, 3), padding = pair_at(arguments, 4),
             dilation = pair_at(arguments, 5);
  if (!input || !weight || !stride || !padding || !dilation) return 0;
  if (input->dim() != 4 || weight->dim() != 4) return 0;
  int64_t places = 1;
  for (const int i : {0, 1}) {
    if ((*stride)[i] <= 0) return 0;
    const int64_t reach = (*dilation)[i] * (weight->size(2 + i) - 1) + 1;
    places *= (input->size(2 + i) + 2 * (*padding)[i] - reach) / (*stride)[i] + 1;
  }
  return 2 * input->size(0) * weight->numel() * places;
}

} // namespace

int64_t operator_flops(const std::string& name, const jit::Stack& stack, size_t arguments) {
  static const auto* const formulas = new std::unordered_map<std::string, int64_t (*)(Arguments)>{
      {"aten::add", &elements},
      {"aten::addmm", &matrix_product<1>},
      {"aten::baddbmm", &matrix_product<1>},
      {"aten::bmm", &matrix_product<0>},
      {"aten::conv2d", &convolution},
      {"aten::mm", &matrix_product<0>},
      {"aten::mul", &elements}};
  const auto found = formulas->find(name);
  if (found == formulas->end()) return 0;
  return found->second(Arguments(stack.data() + stack.size() - arguments, arguments));
}

} // namespace torch::autograd
