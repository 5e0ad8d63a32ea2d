/* torch._dl: dlopen's flags, for loading libraries before torch._C exists. */
#include <Python.h>

#include <dlfcn.h>

static PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_dl", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__dl(void);

PyMODINIT_FUNC PyInit__dl(void) {
  PyObject* module = PyModule_Create(&module_definition);
  if (!module) return NULL;
  if (PyModule_AddIntConstant(module, "RTLD_GLOBAL", RTLD_GLOBAL) < 0 ||
      PyModule_AddIntConstant(module, "RTLD_NOW", RTLD_NOW) < 0 ||
      PyModule_AddIntConstant(module, "RTLD_LAZY", RTLD_LAZY) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
