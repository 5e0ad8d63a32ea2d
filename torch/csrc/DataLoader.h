#pragma once
// What the worker processes of a torch.utils.data.DataLoader need of the system.
#include <torch/csrc/python_headers.h>

// Functions of torch._C, ended by an empty row.
extern PyMethodDef DataLoaderMethods[];
