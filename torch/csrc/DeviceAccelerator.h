#pragma once
// The functions of torch._C on the accelerator and on the back end of an extension.
#include <torch/csrc/python_headers.h>

namespace torch {

extern PyMethodDef accelerator_methods[];

} // namespace torch
