# The targets benchmark::benchmark and benchmark::benchmark_main, which the programs that measure link.
find_package(benchmark REQUIRED)
