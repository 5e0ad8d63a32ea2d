#pragma once

#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the lazy device did: how often something happened, and samples of sizes and times.
namespace torch::lazy {

class TORCH_API Counter {
 public:
  // Finds or makes the counter of this name.
  explicit Counter(const std::string& name);
  void add(int64_t count = 1) { value_->fetch_add(count, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t>* value_;
};

// Adds to a counter that the call site looks up once.
#define TORCH_LAZY_COUNTER(name, count)       \
  do {                                        \
    static ::torch::lazy::Counter site(name); \
    site.add(count);                          \
  } while (false)
#define TORCH_LAZY_FN_COUNTER(prefix, function) TORCH_LAZY_COUNTER(prefix function, 1)

// Records a sample of a metric.
TORCH_API void record_sample(const std::string& metric, double value);

// The names of counters that are not zero, in order.
TORCH_API std::vector<std::string> counter_names();
// The value of a counter; nothing if it was never made.
TORCH_API std::optional<int64_t> counter_value(const std::string& name);
// Metrics with the number of their samples, their sum and their largest; then the counters.
TORCH_API std::string metrics_report();
TORCH_API void reset_metrics();

} // namespace torch::lazy
