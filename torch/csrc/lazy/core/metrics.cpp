#include <torch/csrc/lazy/core/metrics.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>

namespace torch::lazy {

namespace {

struct Samples {
  int64_t count = 0;
  double sum = 0;
  double largest = 0;
};

// Never destroyed: tensors that outlive the library's statics still count.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::atomic<int64_t>> counters;
  std::map<std::string, Samples> metrics;
};

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

} // namespace

Counter::Counter(const std::string& name) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  value_ = &known.counters[name];
}

void record_sample(const std::string& metric, double value) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  Samples& samples = known.metrics[metric];
  samples.count += 1;
  samples.sum += value;
  samples.largest = std::max(samples.largest, value);
}

std::vector<std::string> counter_names() {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  std::vector<std::string> names;
  for (const auto& [name, value] : known.counters) {
    if (value != 0) {
      names.push_back(name);
    }
  }
  return names;
}

std::optional<int64_t> counter_value(const std::string& name) {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto found = known.counters.find(name);
  return found == known.counters.end() ? std::nullopt : std::optional(found->second.load());
}

std::string metrics_report() {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  std::ostringstream report;
  for (const auto& [name, samples] : known.metrics) {
    report << "Metric: " << name << "\n  TotalSamples: " << samples.count
           << "\n  Accumulator: " << samples.sum << "\n  Largest: " << samples.largest << '\n';
  }
  for (const auto& [name, value] : known.counters) {
    if (value != 0) {
      report << "Counter: " << name << "\n  Value: " << value << '\n';
    }
  }
  return report.str();
}

void reset_metrics() {
  Registry& known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.metrics.clear();
  for (auto& [name, value] : known.counters) {
    value = 0;
  }
}

} // namespace torch::lazy
