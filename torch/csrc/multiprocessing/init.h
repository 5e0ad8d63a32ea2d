#pragma once
// What torch.multiprocessing needs of the system.
#include <torch/csrc/python_headers.h>

namespace torch::multiprocessing {

// Functions of torch._C, ended by an empty row.
PyMethodDef* python_functions();

} // namespace torch::multiprocessing
