#pragma once

#include <c10/macros/Export.h>

#include <memory>
#include <string>
#include <vector>

namespace caffe2 {

class NetDef;
class OperatorBase;
class Workspace;

// Operators that run together.
class C10_EXPORT NetBase {
 public:
  NetBase(const NetDef& definition, Workspace* workspace);
  virtual ~NetBase();
  NetBase(const NetBase&) = delete;
  NetBase& operator=(const NetBase&) = delete;

  // Runs every operator once.
  virtual void Run() = 0;
  const std::string& Name() const { return name_; }

 protected:
  const std::vector<std::unique_ptr<OperatorBase>>& operators() const { return operators_; }

 private:
  std::string name_;
  std::vector<std::unique_ptr<OperatorBase>> operators_;
};

// Runs its operators in their order, in the calling thread. Operators use ATen's threads.
class C10_EXPORT SimpleNet final : public NetBase {
 public:
  using NetBase::NetBase;
  void Run() override;
};

// The net of the definition's type; `simple` is the default and the only one.
C10_EXPORT std::unique_ptr<NetBase> CreateNet(const NetDef& definition, Workspace* workspace);

} // namespace caffe2
