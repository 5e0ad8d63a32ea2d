#include <caffe2/core/differentiable_operator.h>

#include <caffe2/core/argument_helper.h>
#include <caffe2/core/workspace.h>

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <climits>
#include <map>
#include <string>
#include <utility>

namespace caffe2 {

namespace {

constexpr const char* kSuffix = "Gradient";
constexpr const char* kGiven = "given_gradients";

std::map<std::string, DifferentiableCreator>& registry() {
  static std::map<std::string, DifferentiableCreator> creators;
  return creators;
}

// The operator whose gradient this is, without outputs and the argument of the gradient.
OperatorDef forward_definition(const OperatorDef& gradient, size_t given) {
  OperatorDef forward = gradient;
  forward.set_type(
      gradient.type().substr(0, gradient.type().size() - std::char_traits<char>::length(kSuffix)));
  const auto inputs = gradient.input_size() - static_cast<int>(given);
  TORCH_CHECK(inputs >= 0, gradient.type(), " has fewer inputs than ", kGiven);
  forward.mutable_input()->DeleteSubrange(inputs, static_cast<int>(given));
  forward.clear_output();
  for (int i = forward.arg_size() - 1; i >= 0; --i) {
    if (forward.arg(i).name() == kGiven) forward.mutable_arg()->DeleteSubrange(i, 1);
  }
  return forward;
}

} // namespace

void DifferentiableOperator::Run() {
  const std::vector<at::Tensor> results = Compute(Inputs());
  TORCH_CHECK(
      static_cast<size_t>(OutputSize()) <= results.size(), "the operator has ", results.size(),
      " results, but ", OutputSize(), " outputs");
  for (int i = 0; i < OutputSize(); ++i)
    SetOutput(i, results[static_cast<size_t>(i)]);
}

AutogradGradientOp::AutogradGradientOp(const OperatorDef& definition, Workspace* workspace)
    : OperatorBase(definition, workspace),
      given_gradients_(GetArgument<std::vector<int64_t>>(definition, kGiven)) {
  const OperatorDef forward = forward_definition(definition, given_gradients_.size());
  OperatorDef complete = forward;
  const OpSchema& schema = SchemaOf(forward.type());
  for (int i = 0; i < schema.least_outputs; ++i)
    complete.add_output();
  schema.Check(complete);
  TORCH_CHECK(
      OutputSize() == forward.input_size(), definition.type(), " of ", forward.input_size(),
      " inputs needs as many outputs, but has ", OutputSize());
  forward_ = registry().at(forward.type())(forward, workspace);
}

void AutogradGradientOp::Run() {
  std::vector<at::Tensor> inputs = Inputs();
  const std::vector<at::Tensor> seeds(
      inputs.end() - static_cast<std::ptrdiff_t>(given_gradients_.size()), inputs.end());
  inputs.resize(inputs.size() - seeds.size());
  std::vector<at::Tensor> wanted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    inputs[i] = inputs[i].detach();
    if (!HasOutput(static_cast<int>(i)) || !inputs[i].is_floating_point()) continue;
    inputs[i].requires_grad_(true);
    wanted.push_back(inputs[i]);
  }
  std::vector<at::Tensor> results, gradients, given;
  {
    const c10::AutoGradMode record(true);
    const std::vector<at::Tensor> all = forward_->Compute(inputs);
    for (size_t i = 0; i < seeds.size(); ++i) {
      const auto index = static_cast<size_t>(given_gradients_[i]);
      TORCH_CHECK(index < all.size(), "there is no result ", index, " of ", all.size());
      TORCH_CHECK(seeds[i].defined(), "the gradient of the result ", index, " needs a name");
      if (!all[index].requires_grad()) continue;
      results.push_back(all[index]);
      given.push_back(seeds[i]);
    }
    if (!results.empty() && !wanted.empty()) {
      gradients = torch::autograd::grad(
          results, wanted, given, /*retain_graph=*/false, /*create_graph=*/false,
          /*allow_unused=*/true);
    }
  }
  gradients.resize(wanted.size());
  auto next = gradients.begin();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !HasOutput(static_cast<int>(i))) continue;
    const at::Tensor gradient = inputs[i].requires_grad() ? *next++ : at::Tensor();
    SetOutput(
        static_cast<int>(i), gradient.defined() ? gradient : at::zeros_like(inputs[i].detach()));
  }
}

std::vector<OperatorDef> AutogradGradientMaker::GetGradientDefs() {
  const std::vector<int>& without = SchemaOf(definition().type()).without_gradient;
  std::vector<std::string> inputs(definition().input().begin(), definition().input().end());
  std::vector<std::string> outputs;
  for (int i = 0; i < definition().input_size(); ++i) {
    const auto& written = definition().output();
    TORCH_CHECK_VALUE(
        I(i).empty() || !std::count(written.begin(), written.end(), I(i)), "operator ",
        definition().type(), " overwrites its input \"", I(i), "\", which its gradient needs");
    const bool none = I(i).empty() || std::count(without.begin(), without.end(), i);
    outputs.push_back(none ? "" : GI(i));
  }
  Argument given;
  given.set_name(kGiven);
  for (int i = 0; i < definition().output_size(); ++i) {
    if (GO(i).empty()) continue;
    inputs.push_back(GO(i));
    given.add_ints(i);
  }
  OperatorDef op = SingleGradientDef(definition().type() + kSuffix, inputs, outputs);
  *op.add_arg() = given;
  return {op};
}

int RegisterDifferentiable(
    const std::string& type, OperatorCreator create, DifferentiableCreator create_forward,
    const OpSchema& schema) {
  registry().emplace(type, create_forward);
  RegisterOperator(
      type + kSuffix, &MakeOperator<AutogradGradientOp>,
      OpSchema().NumInputs(0, INT_MAX).NumOutputs(0, INT_MAX));
  return RegisterOperator(type, create, schema);
}

} // namespace caffe2
