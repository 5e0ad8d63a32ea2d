#pragma once
// Storage functions for torch.multiprocessing: shared memory and weak references.
#include <torch/csrc/python_headers.h>

// Terminated by a row of nulls.
PyMethodDef* THPStorage_sharingMethods();
