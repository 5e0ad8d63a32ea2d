#pragma once
// torch._C._TensorMeta: the type of torch.Tensor and of its subclasses.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Makes it the type of TensorBase, which must not be ready yet.
bool init_variable_metatype(PyObject* module);

} // namespace torch::autograd
