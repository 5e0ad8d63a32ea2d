#pragma once
// The shared memory objects that processes have reported to a manager.
#include <cstddef>
#include <map>
#include <string>

namespace torch::shm {

class ObjectTable {
 public:
  void hold(const std::string& name);
  void release(const std::string& name);
  // Called when a holder of `references` of the object has died: subtracts them from the object's
  // count and removes the name with the last reference.
  void take_back(const std::string& name, int references);
  // Removes all remaining names.
  void remove_all();

 private:
  void sweep();

  std::map<std::string, int> holds_;
  size_t sweep_at_ = 128;
};

} // namespace torch::shm
