#pragma once
// Operators' schemas as Python objects: torch._C.FunctionSchema and torch._C.Argument.
#include <ATen/core/function_schema.h>
#include <torch/csrc/python_headers.h>

namespace torch::jit {

// Returns a new reference to a copy.
PyObject* wrap_schema(const c10::FunctionSchema& schema);

bool initSchemaBindings(PyObject* module);

} // namespace torch::jit
