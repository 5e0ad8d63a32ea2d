#pragma once
// torch._C._monitor
#include <torch/csrc/python_headers.h>

namespace torch::monitor {

bool initMonitorBindings(PyObject* module);

} // namespace torch::monitor
