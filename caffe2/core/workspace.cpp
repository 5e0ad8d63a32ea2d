#include <caffe2/core/workspace.h>

#include <caffe2/core/operator.h>
#include <caffe2/core/suggest.h>
#include <caffe2/proto/caffe2.pb.h>

#include <utility>

namespace caffe2 {

namespace {

template <typename Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map)
    names.push_back(name);
  return names;
}

} // namespace

Workspace::Workspace() = default;
Workspace::~Workspace() = default;

std::vector<std::string> Workspace::Blobs() const {
  return names_of(blobs_);
}

const Blob* Workspace::GetBlob(const std::string& name) const {
  const auto found = blobs_.find(name);
  TORCH_CHECK(
      found != blobs_.end(), "there is no blob \"", name, "\" in the workspace",
      suggest(name, Blobs()));
  return &found->second;
}

Blob* Workspace::GetBlob(const std::string& name) {
  return const_cast<Blob*>(static_cast<const Workspace*>(this)->GetBlob(name));
}

NetBase* Workspace::CreateNet(const NetDef& definition, bool overwrite) {
  TORCH_CHECK(!definition.name().empty(), "a net needs a name");
  TORCH_CHECK(
      overwrite || !nets_.count(definition.name()), "there is a net \"", definition.name(),
      "\" already; to replace it, overwrite it");
  std::unique_ptr<NetBase> net = caffe2::CreateNet(definition, this);
  return (nets_[definition.name()] = std::move(net)).get();
}

NetBase* Workspace::GetNet(const std::string& name) {
  const auto found = nets_.find(name);
  TORCH_CHECK(
      found != nets_.end(), "there is no net \"", name, "\" in the workspace",
      suggest(name, Nets()));
  return found->second.get();
}

std::vector<std::string> Workspace::Nets() const {
  return names_of(nets_);
}

void Workspace::RunNet(const std::string& name, int64_t iterations) {
  NetBase* net = GetNet(name);
  for (int64_t i = 0; i < iterations; ++i)
    net->Run();
}

void Workspace::RunNetOnce(const NetDef& definition) {
  caffe2::CreateNet(definition, this)->Run();
}

void Workspace::RunOperatorOnce(const OperatorDef& definition) {
  CreateOperator(definition, this)->RunWithoutGradients();
}

} // namespace caffe2
