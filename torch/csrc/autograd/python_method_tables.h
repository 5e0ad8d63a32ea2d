#pragma once
// The generated method tables; every list and every table ends with a null.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

extern PyMethodDef* const torch_method_tables[];
extern PyMethodDef* const variable_method_tables[];
extern PyMethodDef* const nn_method_tables[];
extern PyMethodDef* const linalg_method_tables[];
extern PyMethodDef* const fft_method_tables[];
extern PyMethodDef* const special_method_tables[];
extern PyMethodDef* const sparse_method_tables[];
extern PyMethodDef* const nested_method_tables[];

} // namespace torch::autograd
