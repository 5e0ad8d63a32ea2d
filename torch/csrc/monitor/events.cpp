#include <torch/csrc/monitor/events.h>

#include <mutex>
#include <utility>
#include <vector>

namespace torch::monitor {

namespace {

using Handlers = std::vector<std::shared_ptr<EventHandler>>;

struct Registry {
  std::mutex mutex;
  Handlers handlers;
};

Registry& registry() {
  // Never destroyed, because a statistic may log when the process ends.
  static auto* registry = new Registry();
  return *registry;
}

} // namespace

void logEvent(const Event& event) {
  // A handler may register another one, so handlers are called without the lock.
  Handlers handlers;
  {
    const std::lock_guard lock(registry().mutex);
    handlers = registry().handlers;
  }
  for (const auto& handler : handlers)
    handler->handle(event);
}

void registerEventHandler(std::shared_ptr<EventHandler> handler) {
  const std::lock_guard lock(registry().mutex);
  registry().handlers.push_back(std::move(handler));
}

void unregisterEventHandler(const std::shared_ptr<EventHandler>& handler) {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().handlers, handler);
}

} // namespace torch::monitor
