// Measures what this machine can do at most: the bandwidth of a triad a = b + s c for several
// footprints, and the rate of fused multiply-adds. limits.py compiles and runs it.
//
//   limits THREADS  ->  {"bandwidth": [[bytes, bytes per second], ...], "float": flop/s, "double":
//   ...}

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 40; // the best of them counts: other programs can only slow them down
constexpr double kSeconds = 0.002;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Runs work(thread) on all threads until the time is over; returns calls per second.
template <typename Work>
double rate(int threads, const Work& work) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> rates(static_cast<size_t>(threads));
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        const auto start = Clock::now();
        int64_t calls = 0;
        double spent = 0;
        for (; spent < kSeconds; spent = seconds_since(start)) {
          work(t);
          ++calls;
        }
        rates[static_cast<size_t>(t)] = static_cast<double>(calls) / spent;
      });
    }
    for (std::thread& thread : running) {
      thread.join();
    }
    double sum = 0;
    for (const double each : rates) {
      sum += each;
    }
    best = std::max(best, sum);
  }
  return best;
}

double bandwidth(int threads, int64_t bytes) {
  const auto n = static_cast<size_t>(bytes / 3 / threads) / sizeof(float);
  std::vector<std::vector<float>> arrays(static_cast<size_t>(3 * threads));
  for (auto& array : arrays) {
    array.assign(n, 1.0f);
  }
  const double calls = rate(threads, [&](int t) {
    float* a = arrays[static_cast<size_t>(3 * t)].data();
    const float* b = arrays[static_cast<size_t>(3 * t + 1)].data();
    const float* c = arrays[static_cast<size_t>(3 * t + 2)].data();
    for (size_t i = 0; i < n; ++i) {
      a[i] = b[i] + 0.5f * c[i];
    }
    __asm__ volatile("" : : "r"(a) : "memory");
  });
  return calls * static_cast<double>(3 * n * sizeof(float));
}

// Enough independent sums to hide the latency of a multiply-add.
template <typename T>
double multiply_adds(int threads) {
  typedef T Vector __attribute__((vector_size(LIMITS_VECTOR_BYTES)));
  constexpr int kSums = 12, kSteps = 4096;
  const double calls = rate(threads, [](int) {
    Vector sums[kSums] = {};
    Vector x = Vector{} + T(0.5), y = Vector{} + T(0.25);
    __asm__ volatile("" : "+m"(x), "+m"(y));
    for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
      for (int k = 0; k < kSums; ++k) {
        sums[k] = sums[k] * x + y;
      }
    }
    __asm__ volatile("" : : "m"(sums) : "memory");
  });
  return calls * kSteps * kSums * 2.0 * static_cast<double>(sizeof(Vector) / sizeof(T));
}

} // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  std::printf("{\"bandwidth\": [");
  const char* comma = "";
  for (const int64_t kilobytes : {24, 192, 1536, 12288, 98304, 393216}) {
    const int64_t bytes = kilobytes * 1024;
    std::printf("%s[%lld, %.6g]", comma, static_cast<long long>(bytes), bandwidth(threads, bytes));
    comma = ", ";
  }
  const double floats = multiply_adds<float>(threads), doubles = multiply_adds<double>(threads);
  std::printf("], \"float\": %.6g, \"double\": %.6g}\n", floats, doubles);
}
