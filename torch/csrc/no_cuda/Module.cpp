// The CUDA part of torch._C in a build without CUDA.
#include <torch/csrc/cuda/Module.h>

#include <torch/csrc/Exceptions.h>

PyMethodDef* THCPModule_methods() {
  static PyMethodDef none[] = {{nullptr, nullptr, 0, nullptr}};
  return none;
}

namespace torch::cuda {

bool initModule(PyObject*) {
  return true;
}

void lazy_init() {
  throw_python(PyExc_AssertionError, "Torch not compiled with CUDA enabled");
}

void wait_for_stream_of_another_library(unsigned long long, c10::DeviceIndex) {
  lazy_init();
}

} // namespace torch::cuda
