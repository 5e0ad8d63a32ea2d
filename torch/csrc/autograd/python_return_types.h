#pragma once
// torch.return_types: the named tuples returned by operators with named results.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Each is defined in the generated python_return_types.cpp and declared by the bindings that return
// it, so that adding one recompiles no others.
struct ReturnType {
  const char* name;
  PyStructSequence_Field* fields;
  int count;
  PyTypeObject* type = nullptr; // set by initReturnTypes
};
extern ReturnType* const return_types[]; // the last is null

bool initReturnTypes(PyObject* module);

} // namespace torch::autograd
