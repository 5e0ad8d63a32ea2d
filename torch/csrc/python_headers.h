#pragma once
// Python.h has to come first and wants its sizes as Py_ssize_t.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
