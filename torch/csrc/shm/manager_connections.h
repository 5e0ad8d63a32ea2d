#pragma once
// The managers that this process talks to.
#include <torch/csrc/shm/message.h>
#include <torch/csrc/shm/socket.h>

#include <map>
#include <mutex>
#include <string>

namespace torch::shm {

// A manager's handle is the path of its socket. A forked process keeps the handles, but makes
// connections of its own: a manager sees the death of a process as the end of its connection.
class ManagerConnections {
 public:
  static ManagerConnections& instance();

  void set_program(std::string path);

  // Tells a manager that this process holds the object, and returns the manager's handle. With an
  // empty `handle` it is the manager that this process made use of first; one is started when there
  // is none, or that has died. Throws c10::Error when the manager cannot be reached.
  std::string hold(const std::string& handle, const std::string& name);
  void release(const std::string& handle, const std::string& name) noexcept;

 private:
  ManagerConnections();
  bool try_hold(const std::string& handle, const std::string& name);

  std::mutex mutex_; // held through a fork, so that the child finds everything whole
  std::string program_;
  std::string preferred_;
  std::map<std::string, Socket> sockets_;
};

} // namespace torch::shm
