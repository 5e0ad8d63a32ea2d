/* torch._C: everything is in libtorch_python; this only lets Python find it. */
#include <Python.h>

extern PyObject* initModule(void);

PyMODINIT_FUNC PyInit__C(void);

PyMODINIT_FUNC PyInit__C(void) {
  return initModule();
}
