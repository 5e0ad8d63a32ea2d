#include <torch/csrc/monitor/counters.h>

#include <torch/csrc/monitor/events.h>

#include <algorithm>
#include <cctype>
#include <exception>

namespace torch::monitor {

void Samples::add(double value) {
  max = count ? std::max(max, value) : value;
  min = count ? std::min(min, value) : value;
  sum += value;
  last = value;
  ++count;
}

double Samples::aggregate(Aggregation kind) const {
  switch (kind) {
    case Aggregation::VALUE:
      return last;
    case Aggregation::MEAN:
      return count ? sum / static_cast<double>(count) : 0;
    case Aggregation::COUNT:
      return static_cast<double>(count);
    case Aggregation::SUM:
      return sum;
    case Aggregation::MAX:
      return max;
    case Aggregation::MIN:
      return min;
  }
  return 0;
}

Stat::Stat(
    std::string name, std::vector<Aggregation> aggregations, std::chrono::milliseconds window,
    int64_t max_samples)
    : name_(std::move(name)),
      aggregations_(std::move(aggregations)),
      window_(window),
      max_samples_(max_samples),
      window_end_(Clock::now() + window) {}

Stat::~Stat() {
  if (const auto samples = take()) {
    try {
      log(*samples);
    } catch (const std::exception&) {
      // There is nobody left to report a handler's failure to.
    }
  }
}

// The samples that have not been logged, aggregated. The lock is held or not needed.
std::optional<Samples> Stat::take() {
  if (current_.count == 0) return std::nullopt;
  logged_ = std::exchange(current_, Samples());
  return logged_;
}

void Stat::add(double value) {
  std::optional<Samples> before, full;
  {
    const std::lock_guard lock(mutex_);
    if (const auto now = Clock::now(); now >= window_end_) {
      before = take();
      window_end_ = now + window_;
      full_ = false;
    }
    if (!full_) {
      current_.add(value);
      full_ = current_.count >= max_samples_;
      if (full_) full = take();
    }
  }
  // Handlers may query this statistic.
  if (before) log(*before);
  if (full) log(*full);
}

int64_t Stat::count() const {
  const std::lock_guard lock(mutex_);
  return current_.count;
}

std::map<Aggregation, double> Stat::get() const {
  const std::lock_guard lock(mutex_);
  std::map<Aggregation, double> values;
  for (const Aggregation kind : aggregations_)
    values[kind] = logged_.aggregate(kind);
  return values;
}

void Stat::log(const Samples& samples) const {
  Event event{"torch.monitor.Stat", std::chrono::system_clock::now(), {}};
  for (const Aggregation kind : aggregations_) {
    const auto row = std::find_if(
        kAggregations.begin(), kAggregations.end(),
        [kind](const auto& each) { return each.second == kind; });
    std::string suffix = row->first;
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char letter) {
      return static_cast<char>(std::tolower(letter));
    });
    event.data[name_ + "." + suffix] = samples.aggregate(kind);
  }
  logEvent(event);
}

} // namespace torch::monitor
