#include <torch/csrc/shm/manager/server.h>

#include <torch/csrc/shm/message.h>

#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace torch::shm {

namespace {

// How long a manager without connections waits: a name may be in transit to a process that has not
// connected yet.
constexpr timespec kGrace = {2, 0};

volatile sig_atomic_t terminated = 0;

// SIGTERM is unblocked only while poll waits, so that none is missed. Returns poll's mask.
sigset_t catch_termination() {
  struct sigaction action {};
  action.sa_handler = [](int) { terminated = 1; };
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t blocked, outside;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &outside);
  ::sigdelset(&outside, SIGTERM);
  return outside;
}

} // namespace

void Server::serve() {
  const sigset_t mask = catch_termination();
  std::vector<pollfd> watched;
  while (!terminated) {
    watched.assign(1, {listener_.fd(), POLLIN, 0});
    for (const Session& session : sessions_)
      watched.push_back({session.socket.fd(), POLLIN, 0});
    const int ready =
        ::ppoll(watched.data(), watched.size(), sessions_.empty() ? &kGrace : nullptr, &mask);
    if (ready == 0) break;
    if (ready < 0) continue; // a signal
    auto at = watched.cbegin() + 1;
    for (auto session = sessions_.begin(); session != sessions_.end(); ++at) {
      if (at->revents && !read(*session)) {
        end(*session);
        session = sessions_.erase(session);
      } else {
        ++session;
      }
    }
    if (watched.front().revents) {
      if (auto socket = listener_.accept()) sessions_.push_back({std::move(*socket), {}});
    }
  }
  objects_.remove_all();
}

// Handles all packets received; returns false at the end of the connection.
bool Server::read(Session& session) {
  while (const auto packet = session.socket.receive()) {
    if (packet->empty()) return false;
    const std::string name = packet->substr(1);
    switch (static_cast<Verb>(packet->front())) {
      case Verb::Hold:
        ++session.held[name];
        objects_.hold(name);
        break;
      case Verb::Release:
        if (const auto at = session.held.find(name); at != session.held.end()) {
          objects_.release(name);
          if (--at->second == 0) session.held.erase(at);
        }
        break;
    }
  }
  return true;
}

void Server::end(const Session& session) {
  for (const auto& [name, holds] : session.held)
    objects_.take_back(name, holds);
}

} // namespace torch::shm
