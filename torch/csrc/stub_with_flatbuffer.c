/* torch._C_flatbuffer: everything is in libtorch_python; this only lets Python find it. */
#include <Python.h>

extern PyObject* initModuleFlatbuffer(void);

PyMODINIT_FUNC PyInit__C_flatbuffer(void);

PyMODINIT_FUNC PyInit__C_flatbuffer(void) {
  return initModuleFlatbuffer();
}
