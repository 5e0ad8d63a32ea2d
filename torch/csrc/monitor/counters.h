#pragma once
// Statistics of a number that a program measures often.
#include <c10/macros/Export.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch::monitor {

// PyTorch's values, which skip 1 as well.
enum class Aggregation { VALUE = 0, MEAN = 2, COUNT = 3, SUM = 4, MAX = 5, MIN = 6 };

constexpr std::array kAggregations = {
    std::pair("VALUE", Aggregation::VALUE), std::pair("MEAN", Aggregation::MEAN),
    std::pair("COUNT", Aggregation::COUNT), std::pair("SUM", Aggregation::SUM),
    std::pair("MAX", Aggregation::MAX),     std::pair("MIN", Aggregation::MIN)};

// The measurements of one time window.
struct Samples {
  int64_t count = 0;
  double last = 0, sum = 0, max = 0, min = 0;

  void add(double value);
  double aggregate(Aggregation kind) const;
};

// Logs an event "torch.monitor.Stat" for every window that has measurements: when a measurement
// arrives after the window's end, when the window has its maximum number of samples, and when the
// statistic is destroyed. All functions may be called from any thread.
class TORCH_API Stat {
 public:
  Stat(
      std::string name, std::vector<Aggregation> aggregations, std::chrono::milliseconds window,
      int64_t max_samples = std::numeric_limits<int64_t>::max());
  Stat(const Stat&) = delete;
  Stat& operator=(const Stat&) = delete;
  ~Stat();

  const std::string& name() const { return name_; }
  // Ignored if the window already has max_samples.
  void add(double value);
  // The number of samples in the current window that have not been logged.
  int64_t count() const;
  // The aggregations logged last; zeros before the first.
  std::map<Aggregation, double> get() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Samples> take();
  void log(const Samples& samples) const;

  const std::string name_;
  const std::vector<Aggregation> aggregations_;
  const std::chrono::milliseconds window_;
  const int64_t max_samples_;

  mutable std::mutex mutex_; // guards the following members
  Clock::time_point window_end_;
  bool full_ = false; // whether the current window has been logged
  Samples current_, logged_;
};

} // namespace torch::monitor
