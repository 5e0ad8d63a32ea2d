#pragma once
// torch.return_types: the named tuples that operators with named results give back.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Each is defined in the generated python_return_types.cpp, and declared by the bindings that
// return it, so that one more recompiles no others.
struct ReturnType {
  const char* name;
  PyStructSequence_Field* fields;
  int count;
  PyTypeObject* type = nullptr; // from initReturnTypes on
};
extern ReturnType* const return_types[]; // the last is null

bool initReturnTypes(PyObject* module);

} // namespace torch::autograd
