// Measures what parallel_for costs for 1 to 10 million elements, with one thread and with all.
#include <ATen/Parallel.h>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

void scale(benchmark::State& state, int threads) {
  std::vector<float> values(static_cast<size_t>(state.range(0)), 1.0f);
  at::set_num_threads(threads);
  for (auto step : state) {
    at::parallel_for(0, state.range(0), 32768, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        values[static_cast<size_t>(i)] *= 1.000001f;
    });
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

constexpr int64_t kMost = 10'000'000;
BENCHMARK_CAPTURE(scale, one_thread, 1)->RangeMultiplier(10)->Range(1, kMost)->UseRealTime();
BENCHMARK_CAPTURE(scale, all_threads, at::get_num_threads())
    ->RangeMultiplier(10)
    ->Range(1, kMost)
    ->UseRealTime();

} // namespace
