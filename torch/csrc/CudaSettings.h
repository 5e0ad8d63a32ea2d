#pragma once
// The functions of torch._C on settings of CUDA libraries. Every build has them.
#include <torch/csrc/python_headers.h>

namespace torch {

extern PyMethodDef cuda_setting_methods[];

} // namespace torch
