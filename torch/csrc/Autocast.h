#pragma once
// The functions of torch._C on automatic mixed precision.
#include <torch/csrc/python_headers.h>

namespace torch {

extern PyMethodDef autocast_methods[];

} // namespace torch
