#pragma once
// torch._C._CudaEventBase, the base of torch.cuda.Event.
#include <torch/csrc/python_headers.h>

bool THCPEvent_init(PyObject* module);
