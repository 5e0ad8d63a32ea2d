#pragma once
// A local socket that keeps the bounds of what is sent.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace torch::shm {

class Socket {
 public:
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();

  // Throws c10::Error.
  static Socket listen(const std::string& path);
  // Nothing when nobody listens there; errno says why.
  static std::optional<Socket> connect(const std::string& path);

  // Nothing when the client has gone again.
  std::optional<Socket> accept() const;
  // False when the other side has gone.
  bool send(std::string_view packet) const;
  // The next packet that is there, without waiting for one; an empty one when the other side has
  // gone and everything it sent was read.
  std::optional<std::string> receive() const;

  int fd() const { return fd_; }

 private:
  explicit Socket(int fd) : fd_(fd) {}
  static Socket make();

  int fd_;
};

} // namespace torch::shm
