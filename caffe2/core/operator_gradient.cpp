#include <caffe2/core/operator_gradient.h>

#include <caffe2/core/operator.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <map>
#include <utility>

namespace caffe2 {

namespace {

std::map<std::string, GradientMaker>& registry() {
  static std::map<std::string, GradientMaker> makers;
  return makers;
}

} // namespace

GradientMakerBase::GradientMakerBase(
    const OperatorDef& definition, std::vector<std::string> g_output)
    : definition_(definition),
      g_output_(std::move(g_output)),
      g_input_(static_cast<size_t>(definition.input_size())) {}

GradientMakerBase::~GradientMakerBase() = default;

GradientOpsMeta GradientMakerBase::Get() {
  GradientOpsMeta meta{GetGradientDefs(), {}};
  meta.g_input = g_input_;
  for (OperatorDef& op : meta.ops) {
    op.set_is_gradient_op(true);
    if (definition_.has_device_option()) *op.mutable_device_option() = definition_.device_option();
  }
  return meta;
}

std::string GradientMakerBase::GI(int index) {
  std::string& name = g_input_.at(static_cast<size_t>(index));
  name = I(index) + "_grad";
  // An input may appear twice, and then has two gradients.
  if (std::count(g_input_.begin(), g_input_.end(), name) > 1) name += "_" + std::to_string(index);
  return name;
}

OperatorDef GradientMakerBase::SingleGradientDef(
    const std::string& type, const std::vector<std::string>& inputs,
    const std::vector<std::string>& outputs) const {
  OperatorDef op;
  op.set_type(type);
  for (const std::string& input : inputs)
    op.add_input(input);
  for (const std::string& output : outputs)
    op.add_output(output);
  *op.mutable_arg() = definition_.arg();
  return op;
}

GradientOpsMeta GetGradientForOp(
    const OperatorDef& definition, const std::vector<std::string>& g_output) {
  SchemaOf(definition.type()).Check(definition);
  const auto found = registry().find(definition.type());
  TORCH_CHECK_NOT_IMPLEMENTED(
      found != registry().end(), "operator ", definition.type(), " has no gradient");
  TORCH_CHECK_VALUE(
      static_cast<int>(g_output.size()) == definition.output_size(), "operator ", definition.type(),
      " has ", definition.output_size(), " outputs, but got ", g_output.size(),
      " names of gradients");
  return found->second(definition, g_output)->Get();
}

int RegisterGradient(const std::string& type, GradientMaker make) {
  const bool added = registry().emplace(type, make).second;
  TORCH_CHECK(added, "the gradient of ", type, " is registered twice");
  return 0;
}

} // namespace caffe2
