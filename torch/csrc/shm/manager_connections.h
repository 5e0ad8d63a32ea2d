#pragma once
// The managers that this process is connected to.
#include <torch/csrc/shm/message.h>
#include <torch/csrc/shm/socket.h>

#include <map>
#include <mutex>
#include <string>

namespace torch::shm {

// A manager's handle is the path of its socket. A forked process keeps the handles but opens its
// own connections, because a manager detects the death of a process by the end of its connection.
class ManagerConnections {
 public:
  static ManagerConnections& instance();

  void set_program(std::string path);

  // Reports to a manager that this process holds the object, and returns the manager's handle. An
  // empty `handle` means the manager that this process used first; a new one is started if there is
  // none or it has died. Throws c10::Error if the manager cannot be reached.
  std::string hold(const std::string& handle, const std::string& name);
  void release(const std::string& handle, const std::string& name) noexcept;

 private:
  ManagerConnections();
  bool try_hold(const std::string& handle, const std::string& name);

  std::mutex mutex_; // held during a fork, so that the child finds consistent state
  std::string program_;
  std::string preferred_;
  std::map<std::string, Socket> sockets_;
};

} // namespace torch::shm
