#pragma once
// Times a function: the median of several runs, in nanoseconds per call.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

template <typename Function>
double nanoseconds(size_t calls, const Function& function) {
  std::array<double, 7> times{};
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < calls; ++i)
      function();
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    time = elapsed.count() / static_cast<double>(calls);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
