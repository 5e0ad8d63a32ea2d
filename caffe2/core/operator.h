#pragma once

#include <caffe2/core/blob.h>
#include <caffe2/proto/caffe2.pb.h>

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace caffe2 {

class Workspace;

// How many inputs and outputs an operator type may have, and which inputs have no gradient.
struct C10_EXPORT OpSchema {
  OpSchema& NumInputs(int least, int most);
  OpSchema& NumInputs(int count) { return NumInputs(count, count); }
  OpSchema& NumOutputs(int least, int most);
  OpSchema& NumOutputs(int count) { return NumOutputs(count, count); }
  // Inputs, by index, that are not differentiable, such as labels.
  OpSchema& WithoutGradient(std::vector<int> inputs);

  // Raises an error that names the operator, unless the numbers are right.
  void Check(const OperatorDef& definition) const;

  int least_inputs = 0;
  int most_inputs = 0;
  int least_outputs = 1;
  int most_outputs = 1;
  std::vector<int> without_gradient;
};

// The device that an operator asks for. Raises an error if this build has no such device.
C10_EXPORT at::Device DeviceOf(const OperatorDef& definition);

// An operator of a net, with the blobs that it reads and writes.
class C10_EXPORT OperatorBase {
 public:
  // Raises an error if an input is not in the workspace. The outputs are created.
  OperatorBase(const OperatorDef& definition, Workspace* workspace);
  virtual ~OperatorBase();
  OperatorBase(const OperatorBase&) = delete;
  OperatorBase& operator=(const OperatorBase&) = delete;

  // Runs the operator on its device; errors name it. Blobs hold tensors without a graph of
  // autograd.
  void RunWithoutGradients();

  const OperatorDef& definition() const { return definition_; }
  // Where the operator runs: its inputs are there, except numbers that it reads, and its outputs.
  at::Device device() const { return device_; }
  int InputSize() const { return static_cast<int>(inputs_.size()); }
  int OutputSize() const { return static_cast<int>(outputs_.size()); }

 protected:
  virtual void Run() = 0;

  // The tensor of an input; undefined for an input without a name.
  const at::Tensor& Input(int index) const;
  std::vector<at::Tensor> Inputs() const;
  // Whether the output has a name.
  bool HasOutput(int index) const;
  void SetOutput(int index, at::Tensor tensor);

 private:
  OperatorDef definition_;
  at::Device device_;
  std::vector<const Blob*> inputs_; // nullptr for an empty name
  std::vector<Blob*> outputs_;
};

using OperatorCreator = std::unique_ptr<OperatorBase> (*)(const OperatorDef&, Workspace*);

// The operator of the definition's type, with the right number of inputs and outputs. Errors
// suggest a type with a similar name.
C10_EXPORT std::unique_ptr<OperatorBase> CreateOperator(
    const OperatorDef& definition, Workspace* workspace);

C10_EXPORT bool IsOperator(const std::string& type);
C10_EXPORT std::vector<std::string> RegisteredOperators();
// The schema of a registered type, or an error that suggests a similar type.
C10_EXPORT const OpSchema& SchemaOf(const std::string& type);
C10_EXPORT int RegisterOperator(
    const std::string& type, OperatorCreator create, const OpSchema& schema);

template <typename T>
std::unique_ptr<OperatorBase> MakeOperator(const OperatorDef& definition, Workspace* workspace) {
  return std::make_unique<T>(definition, workspace);
}

} // namespace caffe2

// REGISTER_CPU_OPERATOR(Iter, IterOp, OpSchema().NumInputs(0, 1));
#define REGISTER_CPU_OPERATOR(type, class, schema)           \
  [[maybe_unused]] static const int caffe2_operator_##type = \
      ::caffe2::RegisterOperator(#type, &::caffe2::MakeOperator<class>, schema)
