#pragma once
// A local socket that preserves message boundaries.
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
  // Returns nullopt if nobody listens there; errno has the reason.
  static std::optional<Socket> connect(const std::string& path);

  // Returns nullopt if the client has disconnected.
  std::optional<Socket> accept() const;
  // Returns false if the other side has disconnected.
  bool send(std::string_view packet) const;
  // Returns the next available packet without waiting; an empty one if the other side has
  // disconnected and everything it sent has been read.
  std::optional<std::string> receive() const;

  int fd() const { return fd_; }

 private:
  explicit Socket(int fd) : fd_(fd) {}
  static Socket make();

  int fd_;
};

} // namespace torch::shm
