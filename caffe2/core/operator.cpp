#include <caffe2/core/operator.h>

#include <caffe2/core/suggest.h>
#include <caffe2/core/workspace.h>

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <climits>
#include <map>
#include <string_view>
#include <utility>

namespace caffe2 {

namespace {

struct Registration {
  OperatorCreator create;
  OpSchema schema;
};

std::map<std::string, Registration>& registry() {
  static std::map<std::string, Registration> operators;
  return operators;
}

const Registration& registration(const std::string& type) {
  const auto found = registry().find(type);
  TORCH_CHECK(
      found != registry().end(), "there is no operator \"", type, "\"",
      suggest(type, RegisteredOperators()));
  return found->second;
}

// "operator Conv (conv1)"
std::string title(const OperatorDef& definition) {
  const std::string name = definition.name().empty() ? "" : " (" + definition.name() + ")";
  return "operator " + definition.type() + name;
}

void check_count(
    const OperatorDef& definition, std::string_view what, int count, int least, int most) {
  const std::string range = least == most ? std::to_string(least) : c10::str(least, " to ", most);
  const std::string expected = most == INT_MAX ? c10::str("at least ", least) : range;
  TORCH_CHECK(
      count >= least && count <= most, title(definition), " takes ", expected, " ", what,
      ", but got ", count);
}

} // namespace

OpSchema& OpSchema::NumInputs(int least, int most) {
  least_inputs = least;
  most_inputs = most;
  return *this;
}

OpSchema& OpSchema::NumOutputs(int least, int most) {
  least_outputs = least;
  most_outputs = most;
  return *this;
}

OpSchema& OpSchema::WithoutGradient(std::vector<int> inputs) {
  without_gradient = std::move(inputs);
  return *this;
}

void OpSchema::Check(const OperatorDef& definition) const {
  check_count(definition, "inputs", definition.input_size(), least_inputs, most_inputs);
  check_count(definition, "outputs", definition.output_size(), least_outputs, most_outputs);
  // A type that takes any number of inputs, such as ATen, checks itself which ones are optional.
  if (least_inputs == 0 && most_inputs == INT_MAX) return;
  for (int i = 0; i < definition.input_size(); ++i) {
    TORCH_CHECK(!definition.input(i).empty(), title(definition), " needs a name for its input ", i);
  }
}

at::Device DeviceOf(const OperatorDef& definition) {
  const DeviceOption& option = definition.device_option();
  if (option.device_type() == PROTO_CPU) return at::kCPU;
  TORCH_CHECK(
      option.device_type() == PROTO_CUDA, "there is no device type ", option.device_type(),
      "; operators run on the CPU (", static_cast<int>(PROTO_CPU), ") and on CUDA devices (",
      static_cast<int>(PROTO_CUDA), ")");
  TORCH_CHECK(
      at::hasCUDA(), "there are no CUDA devices for the device type ", option.device_type());
  return {at::kCUDA, static_cast<at::DeviceIndex>(option.device_id())};
}

OperatorBase::OperatorBase(const OperatorDef& definition, Workspace* workspace)
    : definition_(definition), device_(DeviceOf(definition)) {
  for (const std::string& name : definition.input()) {
    inputs_.push_back(name.empty() ? nullptr : workspace->GetBlob(name));
  }
  for (const std::string& name : definition.output()) {
    outputs_.push_back(name.empty() ? nullptr : workspace->CreateBlob(name));
  }
}

OperatorBase::~OperatorBase() = default;

void OperatorBase::RunWithoutGradients() {
  const c10::NoGradGuard guard;
  try {
    const c10::DeviceGuard device(device_);
    Run();
  } catch (c10::Error& error) {
    error.add_context(title(definition_));
    throw;
  }
}

const at::Tensor& OperatorBase::Input(int index) const {
  static const at::Tensor undefined;
  const Blob* blob = inputs_.at(static_cast<size_t>(index));
  if (!blob) return undefined;
  TORCH_CHECK(
      blob->IsType<at::Tensor>(), "the input \"", definition_.input(index), "\" holds ",
      blob->empty() ? "nothing yet" : "something other than a tensor");
  return blob->Get<at::Tensor>();
}

std::vector<at::Tensor> OperatorBase::Inputs() const {
  std::vector<at::Tensor> tensors;
  for (int i = 0; i < InputSize(); ++i)
    tensors.push_back(Input(i));
  return tensors;
}

bool OperatorBase::HasOutput(int index) const {
  return index < OutputSize() && outputs_[static_cast<size_t>(index)];
}

void OperatorBase::SetOutput(int index, at::Tensor tensor) {
  if (HasOutput(index)) outputs_[static_cast<size_t>(index)]->Reset(std::move(tensor));
}

std::unique_ptr<OperatorBase> CreateOperator(const OperatorDef& definition, Workspace* workspace) {
  const Registration& found = registration(definition.type());
  found.schema.Check(definition);
  try {
    return found.create(definition, workspace);
  } catch (c10::Error& error) {
    error.add_context(title(definition));
    throw;
  }
}

bool IsOperator(const std::string& type) {
  return registry().count(type) != 0;
}

std::vector<std::string> RegisteredOperators() {
  std::vector<std::string> types;
  for (const auto& [type, value] : registry())
    types.push_back(type);
  return types;
}

const OpSchema& SchemaOf(const std::string& type) {
  return registration(type).schema;
}

int RegisterOperator(const std::string& type, OperatorCreator create, const OpSchema& schema) {
  const bool added = registry().emplace(type, Registration{create, schema}).second;
  TORCH_CHECK(added, "the operator ", type, " is registered twice");
  return 0;
}

} // namespace caffe2
