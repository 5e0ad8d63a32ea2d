#include <ATen/native/FftPlan.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <numbers>
#include <unordered_map>

namespace at::native {

DEFINE_DISPATCH(fft_axes_stub);

namespace {

struct Root {
  double re, im;
};

// exp(-2 pi i k / n). The angle is reduced to an eighth of the circle first, where sine and cosine
// are accurate.
Root unit_root(int64_t k, int64_t n) {
  k %= n;
  const int64_t eighth = 8 * k / n;                  // at most 2^60 points
  const auto at = [n](int64_t part, int64_t whole) { // 2 pi (part - whole n / 8) / n
    return 2 * std::numbers::pi * (static_cast<double>(8 * part - whole * n) / 8) /
        static_cast<double>(n);
  };
  double c = 0, s = 0;
  if (eighth % 2 == 0) { // beyond the start of a quarter
    const double angle = at(k, eighth);
    c = std::cos(angle);
    s = std::sin(angle);
  } else { // before its end
    const double angle = -at(k, eighth + 1);
    c = std::sin(angle);
    s = std::cos(angle);
  }
  switch (eighth / 2) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

template <typename T>
void append(std::vector<T>& table, Root root) {
  table.push_back(static_cast<T>(root.re));
  table.push_back(static_cast<T>(root.im));
}

int64_t register_bytes() {
  switch (get_cpu_capability()) {
    case CPUCapability::AVX512:
      return 64;
    case CPUCapability::AVX2:
      return 32;
    default:
      return 16;
  }
}

// Whether registers suffice for the butterflies of radices 8 and 16.
bool has_many_registers() {
  return register_bytes() == 64;
}

// The lanes of a register.
template <typename T>
int64_t lanes() {
  return register_bytes() / static_cast<int64_t>(sizeof(T));
}

// The radices of a length, without those of a remaining large factor, which is returned.
int64_t factor(int64_t length, std::vector<int>& radices) {
  if (has_many_registers()) {
    if (length == 16) {
      radices.push_back(16);
      return 1;
    }
    // Otherwise 16 is left to two passes of radix 4, which need fewer operations than radices 8
    // and 2.
    for (; length % 8 == 0 && length % 32 != 16; length /= 8) {
      radices.push_back(8);
    }
  }
  for (const int radix : {4, 2, 3, 5, 7}) {
    for (; length % radix == 0; length /= radix) {
      radices.push_back(radix);
    }
  }
  for (int radix = 11; radix <= kMaxRadix && length > 1; radix += 2) {
    for (; length % radix == 0; length /= radix) {
      radices.push_back(radix);
    }
  }
  return length;
}

// The smallest length >= least of the form 2^a 3^b 5^c.
int64_t fast_length(int64_t least) {
  int64_t best = 1;
  while (best < least) {
    best *= 2;
  }
  for (int64_t five = 1; five < best; five *= 5) {
    for (int64_t three = five; three < best; three *= 3) {
      int64_t each = three;
      while (each < least) {
        each *= 2;
      }
      best = std::min(best, each);
    }
  }
  return best;
}

template <typename T>
void add_passes(FftPlan<T>& plan, const std::vector<int>& radices) {
  int64_t length = plan.length;
  for (const int radix : radices) {
    FftPass pass{radix, length / radix, 0, plan.tables.size()};
    for (int k = 0; k < radix; ++k) {
      append(plan.tables, unit_root(k, radix));
    }
    pass.twiddles = plan.tables.size();
    for (int64_t group = 0; group < pass.groups; ++group) {
      for (int k = 1; k < radix; ++k) {
        append(plan.tables, unit_root(group * k, length));
      }
    }
    plan.passes.push_back(pass);
    length = pass.groups;
  }
}

// Divides a transform into two of similar lengths, of which blocks fill most of the registers'
// lanes, or columns of 16 if these take one pass. Both have at least a register's lanes.
template <typename T>
void add_split(FftPlan<T>& plan, const std::vector<int>& radices) {
  constexpr int64_t kLeast = 64 / sizeof(T), kLargestRatio = 4;
  constexpr int64_t kNear = 128; // rows whose buffers stay in the nearest cache are fewer
  int64_t columns = 1, least_work = 0;
  for (int64_t each = kLeast; each * each <= plan.length; ++each) {
    if (plan.length % each != 0) {
      continue;
    }
    const int64_t work = plan.divided_work(each, lanes<T>());
    const bool near = plan.length / each < kNear || plan.length > kNear * kNear;
    const bool similar = near && each * each * kLargestRatio >= plan.length;
    if (columns == 1 || !similar || work <= least_work) {
      columns = each;
      least_work = similar ? work : std::numeric_limits<int64_t>::max();
    }
  }
  if (has_many_registers() && plan.length % 16 == 0 && plan.length >= 256 && plan.length <= 1024) {
    columns = 16;
  }
  const int64_t rows = plan.length / columns;
  if (columns < kLeast || radices.size() < 2) {
    return;
  }
  plan.columns = fft_plan<T>(columns);
  plan.rows = fft_plan<T>(rows);
  const int64_t each = lanes<T>();
  for (int64_t begin = 0; begin < columns; begin += each) {
    const int64_t first = std::min(begin, columns - each);
    for (int64_t j = 0; j < rows; ++j) {
      for (const bool imaginary : {false, true}) {
        for (int64_t k = first; k < first + each; ++k) {
          const Root root = unit_root(j * k, plan.length);
          plan.between.push_back(static_cast<T>(imaginary ? root.im : root.re));
        }
      }
    }
  }
}

// Adds the division into eight columns where it is the fastest: with rows enough to fill registers,
// and so few that their buffers stay in the nearest cache, or fewer unused lanes than otherwise.
template <typename T>
void add_eighths(FftPlan<T>& plan) {
  constexpr int64_t kFewest = 14, kNear = 128, kMost = 512;
  constexpr double kMoreWork = 2 * 1.1; // that of a division without unused lanes is 2 * length
  const int64_t rows = plan.length / 8;
  if (!has_many_registers() || plan.length % 8 != 0 || rows < kFewest || rows > kMost) {
    return;
  }
  const bool wastes = plan.columns == nullptr ||
      static_cast<double>(plan.divided_work(plan.columns->length, lanes<T>())) >=
          kMoreWork * static_cast<double>(plan.length);
  if (rows >= kNear && !wastes) {
    return;
  }
  plan.eighths = fft_plan<T>(rows);
  for (int64_t j = 0; j < rows; ++j) {
    for (const bool imaginary : {false, true}) {
      for (int64_t lane = 0; lane < lanes<T>(); ++lane) {
        const Root root = unit_root(j * (lane % 8), plan.length);
        plan.eighth_turns.push_back(static_cast<T>(imaginary ? root.im : root.re));
      }
    }
  }
}

template <typename T>
void add_turns(FftPlan<T>& plan) {
  const int64_t side = plan.length == 16 ? 4 : plan.length == 64 ? 8 : 0;
  for (int64_t row = 1; row < side; ++row) {
    for (const bool imaginary : {false, true}) {
      for (int64_t lane = 0; lane < plan.kTurns; ++lane) {
        const Root root = unit_root(row * (lane % side), plan.length);
        plan.turns.push_back(static_cast<T>(imaginary ? root.im : root.re));
      }
    }
  }
}

// The passes of a plan, one number at a time, in double precision.
void transform_slowly(const FftPlan<double>& plan, std::vector<double>& x) {
  std::vector<double> y(x.size());
  int64_t stride = 1;
  for (const FftPass& pass : plan.passes) {
    for (int64_t p = 0; p < pass.groups; ++p) {
      for (int64_t q = 0; q < stride; ++q) {
        for (int k = 0; k < pass.radix; ++k) {
          double re = 0, im = 0;
          for (int j = 0; j < pass.radix; ++j) {
            const auto at = static_cast<size_t>(2 * (q + stride * (p + pass.groups * j)));
            const double* w =
                &plan.tables[pass.roots + 2 * static_cast<size_t>(j * k % pass.radix)];
            re += x[at] * w[0] - x[at + 1] * w[1];
            im += x[at] * w[1] + x[at + 1] * w[0];
          }
          const auto to = static_cast<size_t>(2 * (q + stride * (pass.radix * p + k)));
          const Root w = unit_root(p * k, pass.groups * pass.radix);
          y[to] = re * w.re - im * w.im;
          y[to + 1] = re * w.im + im * w.re;
        }
      }
    }
    stride *= pass.radix;
    x.swap(y);
  }
}

template <typename T>
void add_convolution(FftPlan<T>& plan) {
  const int64_t n = plan.length, size = fast_length(2 * n - 1);
  plan.inner = fft_plan<T>(size);
  std::vector<double> wrapped(static_cast<size_t>(2 * size));
  for (int64_t j = 0; j < n; ++j) {
    const auto square = static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * n));
    const Root root = unit_root(square, 2 * n);
    append(plan.chirp, root);
    for (const int64_t at : {j, (size - j) % size}) {
      wrapped[static_cast<size_t>(2 * at)] = root.re / static_cast<double>(size);
      wrapped[static_cast<size_t>(2 * at + 1)] = -root.im / static_cast<double>(size);
    }
  }
  transform_slowly(*fft_plan<double>(size), wrapped);
  plan.spectrum.assign(wrapped.begin(), wrapped.end());
}

template <typename T>
std::shared_ptr<const FftPlan<T>> make_plan(int64_t length) {
  auto plan = std::make_shared<FftPlan<T>>();
  plan->length = length;
  std::vector<int> radices;
  if (factor(length, radices) != 1) {
    add_convolution(*plan);
    return plan;
  }
  add_passes(*plan, radices);
  add_split(*plan, radices);
  add_eighths(*plan);
  add_turns(*plan);
  return plan;
}

// The most recently used objects, up to a number of bytes; an object in use outlives its entry.
template <typename Object>
class Recent {
 public:
  template <typename Make, typename Size>
  std::shared_ptr<const Object> get(int64_t key, const Make& make, const Size& size) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = entries_.find(key);
      if (found != entries_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        return found->second->object;
      }
    }
    auto made = make(key); // may ask for other keys
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end()) {
      return found->second->object;
    }
    order_.push_front({key, size(*made), made});
    entries_[key] = order_.begin();
    bytes_ += order_.front().bytes;
    while (bytes_ > kLimit && order_.size() > 1) {
      bytes_ -= order_.back().bytes;
      entries_.erase(order_.back().key);
      order_.pop_back();
    }
    return made;
  }

 private:
  static constexpr size_t kLimit = size_t{64} << 20;
  struct Entry {
    int64_t key;
    size_t bytes;
    std::shared_ptr<const Object> object;
  };
  std::mutex mutex_;
  std::list<Entry> order_;
  std::unordered_map<int64_t, typename std::list<Entry>::iterator> entries_;
  size_t bytes_ = 0;
};

} // namespace

template <typename T>
std::shared_ptr<const FftPlan<T>> fft_plan(int64_t length) {
  static auto& plans = *new Recent<FftPlan<T>>;
  return plans.get(length, make_plan<T>, [](const FftPlan<T>& plan) {
    const size_t numbers = plan.tables.size() + plan.chirp.size() + plan.spectrum.size();
    const size_t turns = plan.between.size() + plan.eighth_turns.size() + plan.turns.size();
    return sizeof(plan) + sizeof(T) * (numbers + turns);
  });
}

template <typename T>
std::shared_ptr<const std::vector<T>> fft_half_roots(int64_t length) {
  static auto& tables = *new Recent<std::vector<T>>;
  const auto make = [](int64_t n) {
    auto table = std::make_shared<std::vector<T>>();
    for (int64_t k = 0; k <= n / 2; ++k) {
      append(*table, unit_root(k, n));
    }
    return table;
  };
  return tables.get(
      length, make, [](const std::vector<T>& table) { return sizeof(T) * table.size(); });
}

template std::shared_ptr<const FftPlan<float>> fft_plan(int64_t length);
template std::shared_ptr<const FftPlan<double>> fft_plan(int64_t length);
template std::shared_ptr<const std::vector<float>> fft_half_roots(int64_t length);
template std::shared_ptr<const std::vector<double>> fft_half_roots(int64_t length);

} // namespace at::native
