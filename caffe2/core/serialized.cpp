#include <caffe2/core/serialized.h>

#include <caffe2/core/operator.h>
#include <caffe2/core/operator_gradient.h>
#include <caffe2/core/suggest.h>
#include <caffe2/core/workspace.h>

namespace caffe2 {

namespace {

template <typename Message>
Message parse(const std::string& bytes, const char* name) {
  Message message;
  TORCH_CHECK_VALUE(message.ParseFromString(bytes), "these bytes are not a valid ", name);
  return message;
}

} // namespace

std::string CreateSerializedNet(Workspace& workspace, const std::string& net, bool overwrite) {
  return workspace.CreateNet(parse<NetDef>(net, "NetDef"), overwrite)->Name();
}

std::string RunSerializedNet(Workspace& workspace, const std::string& net) {
  const auto definition = parse<NetDef>(net, "NetDef");
  workspace.RunNetOnce(definition);
  return definition.name();
}

void RunSerializedOperator(Workspace& workspace, const std::string& op) {
  workspace.RunOperatorOnce(parse<OperatorDef>(op, "OperatorDef"));
}

std::pair<std::vector<std::string>, std::vector<std::string>> SerializedGradient(
    const std::string& op, const std::vector<std::string>& g_output) {
  const GradientOpsMeta meta = GetGradientForOp(parse<OperatorDef>(op, "OperatorDef"), g_output);
  std::vector<std::string> ops;
  for (const OperatorDef& gradient : meta.ops)
    ops.push_back(gradient.SerializeAsString());
  return {ops, meta.g_input};
}

void CheckSerializedOperator(const std::string& op) {
  const auto definition = parse<OperatorDef>(op, "OperatorDef");
  SchemaOf(definition.type()).Check(definition);
}

std::vector<std::string> OperatorTypes() {
  return RegisteredOperators();
}

std::string SimilarOperator(const std::string& type) {
  return suggest(type, RegisteredOperators());
}

} // namespace caffe2
