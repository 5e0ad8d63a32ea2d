#include <torch/csrc/utils/python_enum.h>

#include <cstring>

namespace torch {
namespace {

const char* short_name(PyObject* self) {
  return std::strrchr(reinterpret_cast<THPEnum*>(self)->name, '.') + 1;
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromString(reinterpret_cast<THPEnum*>(self)->name);
}

// pickle looks up the name in the module that users import it from.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(short_name(self));
}

PyObject* module_name(PyObject*, void*) {
  return PyUnicode_FromString("torch");
}

PyGetSetDef properties[] = {
    {"__module__", module_name, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

} // namespace

PyTypeObject make_enum_type(const char* name, const char* doc) {
  PyTypeObject type = static_type(name, sizeof(THPEnum));
  type.tp_doc = doc;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_repr = repr;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return type;
}

PyObject* add_enum_value(PyObject* module, PyTypeObject* type, int value, const char* name) {
  THPEnum* self = PyObject_New(THPEnum, type);
  if (!self) return nullptr;
  self->value = value;
  self->name = name;
  PyObject* object = reinterpret_cast<PyObject*>(self);
  return PyModule_AddObjectRef(module, short_name(object), object) < 0 ? nullptr : object;
}

} // namespace torch
