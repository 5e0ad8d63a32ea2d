#pragma once
// What torch.multiprocessing needs of storages: shared memory, and references that do not hold.
#include <torch/csrc/python_headers.h>

// Ends with a row of nulls.
PyMethodDef* THPStorage_sharingMethods();
