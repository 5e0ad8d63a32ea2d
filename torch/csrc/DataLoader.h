#pragma once
// System services for the worker processes of a torch.utils.data.DataLoader.
#include <torch/csrc/python_headers.h>

// Functions of torch._C, terminated by an empty row.
extern PyMethodDef DataLoaderMethods[];
