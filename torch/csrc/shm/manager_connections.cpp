#include <torch/csrc/shm/manager_connections.h>

#include <c10/util/Exception.h>
#include <torch/csrc/shm/start_manager.h>

#include <pthread.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace torch::shm {

ManagerConnections& ManagerConnections::instance() {
  // Never destroyed, because storages are released until the process ends.
  static auto* connections = new ManagerConnections();
  return *connections;
}

ManagerConnections::ManagerConnections() {
  const int error = ::pthread_atfork(
      [] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
      [] {
        instance().sockets_.clear();
        instance().mutex_.unlock();
      });
  TORCH_CHECK(!error, "unable to prepare for forks: ", std::strerror(error));
}

void ManagerConnections::set_program(std::string path) {
  const std::lock_guard lock(mutex_);
  program_ = std::move(path);
}

bool ManagerConnections::try_hold(const std::string& handle, const std::string& name) {
  auto at = sockets_.find(handle);
  if (at == sockets_.end()) {
    auto socket = Socket::connect(handle);
    if (!socket) return false;
    at = sockets_.emplace(handle, std::move(*socket)).first;
  }
  if (at->second.send(encode(Verb::Hold, name))) return true;
  const int error = errno;
  sockets_.erase(at);
  errno = error;
  return false;
}

std::string ManagerConnections::hold(const std::string& handle, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (handle.empty()) {
    if (preferred_.empty() || !try_hold(preferred_, name)) {
      preferred_ = start_manager(program_);
      TORCH_CHECK(
          try_hold(preferred_, name), "unable to reach the new torch_shm_manager at ", preferred_,
          ": ", std::strerror(errno));
    }
    return preferred_;
  }
  TORCH_CHECK(
      try_hold(handle, name), "unable to reach torch_shm_manager at ", handle, ": ",
      std::strerror(errno));
  if (preferred_.empty()) preferred_ = handle;
  return handle;
}

void ManagerConnections::release(const std::string& handle, const std::string& name) noexcept {
  const std::lock_guard lock(mutex_);
  const auto at = sockets_.find(handle);
  // A manager that has died has no record to undo.
  if (at != sockets_.end() && !at->second.send(encode(Verb::Release, name))) sockets_.erase(at);
}

} // namespace torch::shm
