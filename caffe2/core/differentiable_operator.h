#pragma once

#include <caffe2/core/operator.h>
#include <caffe2/core/operator_gradient.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caffe2 {

// An operator that is a function of ATen's differentiable operators. Its gradient needs no code of
// its own: the operator TYPEGradient computes the outputs once more with autograd recording, and
// asks it for the gradients of the inputs. So a net stays a list of operators without hidden state,
// at the cost of a second forward pass through these operators.
class C10_EXPORT DifferentiableOperator : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

  // The outputs of these inputs; there may be more than the operator writes.
  virtual std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs) const = 0;

 protected:
  void Run() override;
};

// TYPEGradient. Its inputs are those of TYPE and then the gradients of some outputs, which the
// argument `given_gradients` lists by index. Its outputs are the gradients of the inputs; one
// without a name is not computed. An input that the result does not depend on gets zeros.
class C10_EXPORT AutogradGradientOp final : public OperatorBase {
 public:
  AutogradGradientOp(const OperatorDef& definition, Workspace* workspace);

 private:
  void Run() override;

  std::vector<int64_t> given_gradients_;
  std::unique_ptr<DifferentiableOperator> forward_;
};

// Makes the operator TYPEGradient.
class C10_EXPORT AutogradGradientMaker final : public GradientMakerBase {
 public:
  using GradientMakerBase::GradientMakerBase;

 private:
  std::vector<OperatorDef> GetGradientDefs() override;
};

using DifferentiableCreator =
    std::unique_ptr<DifferentiableOperator> (*)(const OperatorDef&, Workspace*);

// Registers TYPE and, by another name, its gradient.
C10_EXPORT int RegisterDifferentiable(
    const std::string& type, OperatorCreator create, DifferentiableCreator create_forward,
    const OpSchema& schema);

template <typename T>
std::unique_ptr<DifferentiableOperator> MakeDifferentiable(
    const OperatorDef& definition, Workspace* workspace) {
  return std::make_unique<T>(definition, workspace);
}

} // namespace caffe2

// An operator, the operator of its gradient, and the maker of that.
#define REGISTER_DIFFERENTIABLE_OPERATOR(type, class, schema)                                  \
  [[maybe_unused]] static const int caffe2_operator_##type = ::caffe2::RegisterDifferentiable( \
      #type, &::caffe2::MakeOperator<class>, &::caffe2::MakeDifferentiable<class>, schema);    \
  REGISTER_GRADIENT(type, ::caffe2::AutogradGradientMaker)
