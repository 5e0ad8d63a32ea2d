#pragma once
// torch._C._CudaStreamBase, the base of torch.cuda.Stream.
#include <torch/csrc/Stream.h>

#include <c10/cuda/CUDAStream.h>

extern PyTypeObject THCPStreamType;

bool THCPStream_init(PyObject* module);
inline bool THCPStream_Check(PyObject* object) {
  return PyType_IsSubtype(Py_TYPE(object), &THCPStreamType);
}
// Accepts a torch.Stream of a CUDA device as well; throws python_error for anything else.
c10::cuda::CUDAStream THCPStream_Unpack(PyObject* object);

namespace torch::cuda {
extern PyMethodDef stream_methods[];
} // namespace torch::cuda
