#pragma once
// The generated method tables; every list and every table ends with a null.
#include <torch/csrc/python_headers.h>

#include <span>

namespace torch::autograd {

extern PyMethodDef* const* const torch_method_tables;
extern PyMethodDef* const* const variable_method_tables;
extern PyMethodDef conversion_methods[];
extern PyMethodDef placement_methods[];

// The functions of one python_module of native_functions.yaml.
struct OperatorModule {
  const char* name;
  const char* full_name; // "torch._C._linalg"
  PyMethodDef* const* tables;
};
extern const std::span<const OperatorModule> operator_modules;

} // namespace torch::autograd
