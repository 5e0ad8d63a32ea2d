#pragma once
// torch.return_types: the named tuples that operators with named results give back.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/generated/python_return_types.h>

namespace torch::autograd {

struct ReturnTypeInfo {
  const char* name;
  PyStructSequence_Field* fields;
  int count;
};
extern const ReturnTypeInfo return_type_infos[];
extern const int return_type_count;

bool initReturnTypes(PyObject* module);
PyTypeObject* return_type(ReturnType type);

} // namespace torch::autograd
