// Iter and LearningRate.
#include <caffe2/core/argument_helper.h>
#include <caffe2/core/operator.h>
#include <caffe2/core/operator_gradient.h>

#include <ATen/ops/add.h>
#include <ATen/ops/full.h>
#include <ATen/ops/item.h>

#include <cmath>

namespace caffe2 {

namespace {

// Counts its runs in its output: 0 after the first, or the input plus 1. The count is on the CPU.
class IterOp final : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

 private:
  void Run() override {
    SetOutput(0, InputSize() ? at::add(Input(0), 1) : at::full({1}, 0, at::kLong));
  }
};

// base_lr times a factor of the policy, where `iter` is the input:
//   fixed  1
//   step   gamma ^ floor(iter / stepsize)
//   exp    gamma ^ iter
//   inv    (1 + gamma * iter) ^ -power
class LearningRateOp final : public OperatorBase {
 public:
  LearningRateOp(const OperatorDef& definition, Workspace* workspace)
      : OperatorBase(definition, workspace),
        base_(GetArgument<double>(definition, "base_lr")),
        gamma_(GetArgument<double>(definition, "gamma", 1.0)),
        power_(GetArgument<double>(definition, "power", 1.0)),
        stepsize_(GetArgument<int64_t>(definition, "stepsize", 1)),
        policy_(GetArgument<std::string>(definition, "policy")) {
    TORCH_CHECK_VALUE(
        policy_ == "fixed" || policy_ == "step" || policy_ == "exp" || policy_ == "inv",
        "there is no policy \"", policy_, "\"; choose fixed, step, exp or inv");
    TORCH_CHECK_VALUE(stepsize_ > 0, "stepsize must be positive, but is ", stepsize_);
  }

 private:
  void Run() override {
    const int64_t iteration = Input(0).item<int64_t>();
    SetOutput(0, at::full({1}, base_ * factor(iteration), at::dtype(at::kFloat).device(device())));
  }

  double factor(int64_t iteration) const {
    if (policy_ == "step") return std::pow(gamma_, iteration / stepsize_);
    if (policy_ == "exp") return std::pow(gamma_, iteration);
    if (policy_ == "inv") {
      return std::pow(1 + gamma_ * static_cast<double>(iteration), -power_);
    }
    return 1;
  }

  double base_, gamma_, power_;
  int64_t stepsize_;
  std::string policy_;
};

REGISTER_CPU_OPERATOR(Iter, IterOp, OpSchema().NumInputs(0, 1));
NO_GRADIENT(Iter);
REGISTER_CPU_OPERATOR(LearningRate, LearningRateOp, OpSchema().NumInputs(1));
NO_GRADIENT(LearningRate);

} // namespace

} // namespace caffe2
