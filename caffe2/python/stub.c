/* caffe2_pybind11_state: everything is in libtorch_python; this only lets Python find it. */
#include <Python.h>

extern PyObject* initCaffe2Module(void);

PyMODINIT_FUNC PyInit_caffe2_pybind11_state(void);

PyMODINIT_FUNC PyInit_caffe2_pybind11_state(void) {
  return initCaffe2Module();
}
