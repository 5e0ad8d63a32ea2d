#pragma once

#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// _start_profiling_operators, _pause_profiling_operators, _stop_profiling_operators,
// _begin_profiled_block, _end_profiled_block
extern PyMethodDef profiler_methods[];

} // namespace torch::autograd
