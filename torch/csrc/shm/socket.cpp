#include <torch/csrc/shm/socket.h>

#include <c10/util/Exception.h>
#include <torch/csrc/shm/message.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace torch::shm {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  TORCH_CHECK(
      path.size() < sizeof(address.sun_path), "the path of a socket is too long: ", path, " has ",
      path.size(), " characters, the maximum is ", sizeof(address.sun_path) - 1);
  path.copy(address.sun_path, path.size());
  return address;
}

// Retries `call` while a signal interrupts it.
template <typename Call>
auto uninterrupted(Call call) {
  decltype(call()) result{};
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

} // namespace

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket Socket::make() {
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  TORCH_CHECK(fd >= 0, "unable to create a socket: ", std::strerror(errno));
  return Socket(fd);
}

Socket Socket::listen(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Socket socket = make();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  TORCH_CHECK(
      ::bind(socket.fd_, generic, sizeof(address)) == 0 && ::listen(socket.fd_, SOMAXCONN) == 0,
      "unable to listen at ", path, ": ", std::strerror(errno));
  return socket;
}

std::optional<Socket> Socket::connect(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Socket socket = make();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const int status = uninterrupted([&] { return ::connect(socket.fd_, generic, sizeof(address)); });
  if (status != 0) return std::nullopt;
  return socket;
}

std::optional<Socket> Socket::accept() const {
  const int fd = uninterrupted([&] { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); });
  if (fd < 0) return std::nullopt;
  return Socket(fd);
}

bool Socket::send(std::string_view packet) const {
  return uninterrupted([&] { return ::send(fd_, packet.data(), packet.size(), MSG_NOSIGNAL); }) >=
      0;
}

std::optional<std::string> Socket::receive() const {
  std::string packet(kLongestMessage, '\0');
  const ssize_t size =
      uninterrupted([&] { return ::recv(fd_, packet.data(), packet.size(), MSG_DONTWAIT); });
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  packet.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return packet;
}

} // namespace torch::shm
