#pragma once
// torch.ops and torch.library: operators by name, boxed calls, kernels written in Python.
#include <torch/csrc/python_headers.h>

#include <ATen/core/stack.h>

namespace c10 {
struct FunctionSchema;
}

namespace torch {

// Converts a call's arguments to the types of a schema, in its order. Raises RuntimeError if they
// do not fit.
jit::Stack bind_arguments(const c10::FunctionSchema& schema, PyObject* args, PyObject* kwargs);
// Returns what a call left on the stack: None, a value or a tuple.
PyObject* pack_results(const c10::FunctionSchema& schema, const jit::Stack& stack);

bool initDispatchBindings(PyObject* module);

} // namespace torch
