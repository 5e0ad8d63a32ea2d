#pragma once
// System services for torch.multiprocessing.
#include <torch/csrc/python_headers.h>

namespace torch::multiprocessing {

// Functions of torch._C, terminated by an empty row.
PyMethodDef* python_functions();

} // namespace torch::multiprocessing
