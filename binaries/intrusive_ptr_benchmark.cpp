// Compares c10::intrusive_ptr with std::shared_ptr: to make one, and to copy one.
#include <c10/util/intrusive_ptr.h>

#include <benchmark/benchmark.h>

#include <memory>

namespace {

struct Counted : c10::intrusive_ptr_target {
  explicit Counted(int given) : value(given) {}
  int value;
};
struct Plain {
  explicit Plain(int given) : value(given) {}
  int value;
};

void make_intrusive_ptr(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(c10::make_intrusive<Counted>(2)->value);
}
BENCHMARK(make_intrusive_ptr);

void make_shared_ptr(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(std::make_shared<Plain>(2)->value);
}
BENCHMARK(make_shared_ptr);

template <typename Pointer>
void copy(benchmark::State& state, const Pointer& pointer) {
  for (auto step : state) {
    auto another = pointer; // NOLINT(performance-unnecessary-copy-initialization)
    benchmark::DoNotOptimize(another->value);
  }
}
BENCHMARK_CAPTURE(copy, intrusive_ptr, c10::make_intrusive<Counted>(1));
BENCHMARK_CAPTURE(copy, shared_ptr, std::make_shared<Plain>(1));

} // namespace
