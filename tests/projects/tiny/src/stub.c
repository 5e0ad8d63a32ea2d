#include <Python.h>

#include "greet.h"

static PyObject* greet(PyObject* self, PyObject* argument) {
  (void)self;
  char text[64];
  long index = PyLong_AsLong(argument);
  if (index == -1 && PyErr_Occurred()) {
    return NULL;
  }
  if (tiny_greet((int)index, text, sizeof text) != 0) {
    return PyErr_Format(PyExc_IndexError, "no word number %ld", index);
  }
  return PyUnicode_FromString(text);
}

static PyObject* count(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return PyLong_FromLong(tiny_count());
}

static PyMethodDef methods[] = {
    {"greet", greet, METH_O, "A greeting of one word."},
    {"count", count, METH_NOARGS, "How many words there are."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_C", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__C(void) {
  return PyModule_Create(&module);
}
