#include <caffe2/core/net.h>

#include <caffe2/core/operator.h>
#include <caffe2/core/workspace.h>
#include <caffe2/proto/caffe2.pb.h>

namespace caffe2 {

NetBase::NetBase(const NetDef& definition, Workspace* workspace) : name_(definition.name()) {
  for (const std::string& input : definition.external_input()) {
    TORCH_CHECK(
        workspace->HasBlob(input), "the net \"", name_, "\" needs the blob \"", input,
        "\", which is not in the workspace");
  }
  for (int i = 0; i < definition.op_size(); ++i) {
    try {
      OperatorDef op = definition.op(i);
      if (definition.has_device_option() && !op.has_device_option()) {
        *op.mutable_device_option() = definition.device_option();
      }
      operators_.push_back(CreateOperator(op, workspace));
    } catch (c10::Error& error) {
      error.add_context(c10::str("creating operator ", i, " of the net \"", name_, "\""));
      throw;
    }
  }
}

NetBase::~NetBase() = default;

void SimpleNet::Run() {
  for (size_t i = 0; i < operators().size(); ++i) {
    try {
      operators()[i]->RunWithoutGradients();
    } catch (c10::Error& error) {
      error.add_context(c10::str("running operator ", i, " of the net \"", Name(), "\""));
      throw;
    }
  }
}

std::unique_ptr<NetBase> CreateNet(const NetDef& definition, Workspace* workspace) {
  TORCH_CHECK(
      definition.type().empty() || definition.type() == "simple", "the net \"", definition.name(),
      "\" has the type \"", definition.type(), "\", but there is only \"simple\"");
  return std::make_unique<SimpleNet>(definition, workspace);
}

} // namespace caffe2
