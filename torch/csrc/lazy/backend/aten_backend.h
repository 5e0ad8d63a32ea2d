#pragma once

#include <c10/macros/Export.h>

namespace torch::lazy {

// Makes ATen's kernels of the CPU the back end: a computation is a list of calls, made in the
// calling thread, each of whose operands is freed after its last use.
TORCH_API void init_aten_backend();

} // namespace torch::lazy
