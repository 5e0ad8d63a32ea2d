#pragma once
// The objects of shared memory that processes told a manager of.
#include <cstddef>
#include <map>
#include <string>

namespace torch::shm {

class ObjectTable {
 public:
  void hold(const std::string& name);
  void release(const std::string& name);
  // The holder of `references` of the object died: they are taken back from the object's own count,
  // and the name is removed with the last.
  void take_back(const std::string& name, int references);
  // Removes every name that is left.
  void remove_all();

 private:
  void sweep();

  std::map<std::string, int> holds_;
  size_t sweep_at_ = 128;
};

} // namespace torch::shm
