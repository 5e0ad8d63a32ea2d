#pragma once
// The main loop of a manager.
#include <torch/csrc/shm/manager/object_table.h>
#include <torch/csrc/shm/socket.h>

#include <list>
#include <map>
#include <string>

namespace torch::shm {

class Server {
 public:
  explicit Server(Socket listener) : listener_(std::move(listener)) {}

  // Returns when no process has been connected for a while, or on SIGTERM; then removes every name
  // that a process has reported.
  void serve();

 private:
  // The connection of one process, and how many holds it has on each object.
  struct Session {
    Socket socket;
    std::map<std::string, int> held;
  };
  bool read(Session& session);
  void end(const Session& session);

  Socket listener_;
  std::list<Session> sessions_;
  ObjectTable objects_;
};

} // namespace torch::shm
