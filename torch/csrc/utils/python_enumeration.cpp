#include <torch/csrc/utils/python_enumeration.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

namespace torch {

namespace {

PyObject* make(PyObject* module, const char* name, std::span<const EnumerationMember> members) {
  THPObjectPtr rows(PyDict_New());
  if (!rows) return nullptr;
  for (const auto& [member, number] : members) {
    THPObjectPtr value(PyLong_FromLong(number));
    if (!value || PyDict_SetItemString(rows.get(), member, value.get()) != 0) return nullptr;
  }
  THPObjectPtr library(PyImport_ImportModule("enum"));
  THPObjectPtr base(library ? PyObject_GetAttrString(library.get(), "Enum") : nullptr);
  THPObjectPtr args(Py_BuildValue("(sO)", name, rows.get()));
  THPObjectPtr kwargs(Py_BuildValue("{ss}", "module", PyModule_GetName(module)));
  return base && args && kwargs ? PyObject_Call(base.get(), args.get(), kwargs.get()) : nullptr;
}

} // namespace

PyObject* add_enumeration(
    PyObject* module, const char* name, std::span<const EnumerationMember> members) {
  PyObject* const enumeration = make(module, name, members);
  const bool added = enumeration && PyModule_AddObjectRef(module, name, enumeration) == 0;
  return added ? enumeration : nullptr;
}

PyObject* enumeration_member(PyObject* enumeration, int number) {
  return PyObject_CallFunction(enumeration, "i", number);
}

int unpack_enumeration(PyObject* enumeration, PyObject* object, const char* function) {
  const int is_member = PyObject_IsInstance(object, enumeration);
  checked(is_member);
  if (!is_member) {
    throw_python(
        PyExc_TypeError, "%s(): expected a member of %R, but got %s", function, enumeration,
        Py_TYPE(object)->tp_name);
  }
  const THPObjectPtr number(checked(PyObject_GetAttrString(object, "value")));
  return static_cast<int>(unpack_long(number.get()));
}

} // namespace torch
