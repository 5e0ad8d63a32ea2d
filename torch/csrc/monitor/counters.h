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

// PyTorch's numbers: 1 is left out there too.
enum class Aggregation { VALUE = 0, MEAN = 2, COUNT = 3, SUM = 4, MAX = 5, MIN = 6 };

constexpr std::array kAggregations = {
    std::pair("VALUE", Aggregation::VALUE), std::pair("MEAN", Aggregation::MEAN),
    std::pair("COUNT", Aggregation::COUNT), std::pair("SUM", Aggregation::SUM),
    std::pair("MAX", Aggregation::MAX),     std::pair("MIN", Aggregation::MIN)};

// What was measured in one window of time.
struct Samples {
  int64_t count = 0;
  double last = 0, sum = 0, max = 0, min = 0;

  void add(double value);
  double aggregate(Aggregation kind) const;
};

// Logs an event "torch.monitor.Stat" for every window in which something was measured: when a
// measurement follows the window's end, when the window has all the samples it takes, and at the
// end of the statistic. All functions may be called from any thread.
class TORCH_API Stat {
 public:
  Stat(
      std::string name, std::vector<Aggregation> aggregations, std::chrono::milliseconds window,
      int64_t max_samples = std::numeric_limits<int64_t>::max());
  Stat(const Stat&) = delete;
  Stat& operator=(const Stat&) = delete;
  ~Stat();

  const std::string& name() const { return name_; }
  // Ignored when the window has max_samples already.
  void add(double value);
  // How many samples the current window has that were not logged.
  int64_t count() const;
  // The aggregations of what was logged last; zeros before that.
  std::map<Aggregation, double> get() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Samples> take();
  void log(const Samples& samples) const;

  const std::string name_;
  const std::vector<Aggregation> aggregations_;
  const std::chrono::milliseconds window_;
  const int64_t max_samples_;

  mutable std::mutex mutex_; // of what follows
  Clock::time_point window_end_;
  bool full_ = false; // the current window was logged already
  Samples current_, logged_;
};

} // namespace torch::monitor
