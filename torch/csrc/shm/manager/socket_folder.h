#pragma once
// A temporary folder for a socket, which only its owner can enter.
#include <string>

namespace torch::shm {

class SocketFolder {
 public:
  // In TMPDIR, or in /tmp where that is too long for a socket's path. Throws c10::Error.
  SocketFolder();
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  // Removes the socket and the folder.
  ~SocketFolder();

  std::string socket() const { return folder_ + "/manager.sock"; }

 private:
  std::string folder_;
};

} // namespace torch::shm
