/* caffe2_pybind11_state_gpu: everything is in libtorch_python; this only lets Python find it. */
#include <Python.h>

extern PyObject* initCaffe2GpuModule(void);

PyMODINIT_FUNC PyInit_caffe2_pybind11_state_gpu(void);

PyMODINIT_FUNC PyInit_caffe2_pybind11_state_gpu(void) {
  return initCaffe2GpuModule();
}
