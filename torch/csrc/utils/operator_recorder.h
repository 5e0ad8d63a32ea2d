#pragma once
// Which operators a program calls, for builds with selected operators:
// torch.utils.record_operators.
#include <torch/csrc/python_headers.h>

namespace torch {

// _start_recording_operators, _stop_recording_operators
extern PyMethodDef recorder_methods[];

namespace autograd {

// Called by the generated bindings of operators that a selective build leaves out.
[[nodiscard]] PyObject* raise_left_out(const char* name);

} // namespace autograd
} // namespace torch
