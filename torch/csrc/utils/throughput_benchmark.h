#pragma once
// torch._C.ThroughputBenchmark: calls a Python callable in several threads and measures the time.
#include <torch/csrc/python_headers.h>

namespace torch {

bool init_throughput_benchmark(PyObject* module);

} // namespace torch
