#pragma once
// A temporary folder for a socket that only the owner can access.
#include <string>

namespace torch::shm {

class SocketFolder {
 public:
  // Created in TMPDIR, or in /tmp if that path is too long for a socket. Throws c10::Error.
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
