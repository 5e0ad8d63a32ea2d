#pragma once
// Events of a running program and their handlers.
#include <c10/macros/Export.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>

namespace torch::monitor {

using data_value_t = std::variant<std::string, double, int64_t, bool>;

struct Event {
  std::string name;
  std::chrono::system_clock::time_point timestamp;
  std::map<std::string, data_value_t> data;
};

class TORCH_API EventHandler {
 public:
  virtual ~EventHandler() = default;
  // Called in the thread that logs; should return quickly.
  virtual void handle(const Event& event) = 0;
};

// Passes the event to every registered handler.
TORCH_API void logEvent(const Event& event);
TORCH_API void registerEventHandler(std::shared_ptr<EventHandler> handler);
// No effect if it is not registered.
TORCH_API void unregisterEventHandler(const std::shared_ptr<EventHandler>& handler);

} // namespace torch::monitor
