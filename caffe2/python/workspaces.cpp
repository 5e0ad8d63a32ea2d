#include <caffe2/python/workspaces.h>

#include <caffe2/core/suggest.h>

namespace caffe2::python {

Workspace& Workspaces::current() {
  std::unique_ptr<Workspace>& workspace = all_[name_];
  if (!workspace) workspace = std::make_unique<Workspace>();
  return *workspace;
}

std::vector<std::string> Workspaces::names() const {
  std::vector<std::string> names;
  for (const auto& [name, workspace] : all_)
    names.push_back(name);
  return names;
}

void Workspaces::switch_to(const std::string& name, bool create) {
  current(); // so that the one that is left is listed
  TORCH_CHECK_VALUE(
      create || all_.count(name), "there is no workspace \"", name, "\"", suggest(name, names()));
  name_ = name;
  current();
}

void Workspaces::reset() {
  all_[name_] = std::make_unique<Workspace>();
}

} // namespace caffe2::python
