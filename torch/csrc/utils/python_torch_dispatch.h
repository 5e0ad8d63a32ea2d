#pragma once
// The __torch_dispatch__ protocol: subclasses of torch.Tensor and modes that handle operators below
// autograd, where the dispatch key Python leads.
#include <torch/csrc/python_headers.h>

namespace at {
class Tensor;
}

namespace torch {

// Whether objects of the type handle operators themselves.
bool has_torch_dispatch(PyTypeObject* type);
// Adds the key Python to a tensor's keys.
void set_python_dispatch(const at::Tensor& tensor);

extern PyMethodDef torch_dispatch_methods[];
bool init_torch_dispatch(PyObject* module);

} // namespace torch
