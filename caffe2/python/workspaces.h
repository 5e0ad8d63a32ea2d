#pragma once

#include <caffe2/core/workspace.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caffe2::python {

// The workspaces of Python by name, of which one is current; the first is "default".
class Workspaces {
 public:
  Workspace& current();
  const std::string& current_name() const { return name_; }
  std::vector<std::string> names() const;
  // Raises an error if there is no such workspace and `create` is not set.
  void switch_to(const std::string& name, bool create);
  // Drops all blobs and nets of the current workspace.
  void reset();

 private:
  std::string name_ = "default";
  std::map<std::string, std::unique_ptr<Workspace>> all_;
};

} // namespace caffe2::python
