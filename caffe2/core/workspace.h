#pragma once

#include <caffe2/core/blob.h>
#include <caffe2/core/net.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caffe2 {

class OperatorDef;

// Blobs by name, and the nets that work on them. A workspace is used by one thread at a time.
class C10_EXPORT Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // The names of all blobs, sorted.
  std::vector<std::string> Blobs() const;
  bool HasBlob(const std::string& name) const { return blobs_.count(name) != 0; }
  // The blob of that name, which lives as long as the workspace.
  Blob* CreateBlob(const std::string& name) { return &blobs_[name]; }
  // The blob, or an error that suggests another name.
  const Blob* GetBlob(const std::string& name) const;
  Blob* GetBlob(const std::string& name);

  // Creates a net, with the operators' outputs as blobs. A net of that name is an error, unless
  // `overwrite` is set.
  NetBase* CreateNet(const NetDef& definition, bool overwrite = false);
  NetBase* GetNet(const std::string& name);
  bool DeleteNet(const std::string& name) { return nets_.erase(name) != 0; }
  std::vector<std::string> Nets() const;

  void RunNet(const std::string& name, int64_t iterations = 1);
  void RunNetOnce(const NetDef& definition);
  void RunOperatorOnce(const OperatorDef& definition);

 private:
  std::map<std::string, Blob> blobs_; // the address of a blob does not change
  std::map<std::string, std::unique_ptr<NetBase>> nets_;
};

} // namespace caffe2
