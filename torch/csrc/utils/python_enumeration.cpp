#include <torch/csrc/utils/python_enumeration.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <algorithm>
#include <vector>

namespace torch {

namespace {

std::vector<Enumeration*>& enumerations() {
  static std::vector<Enumeration*> all;
  return all;
}

// The __getattr__ of modules: makes the class that has the name, or whose member has it.
PyObject* find_attribute(PyObject* module, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  for (Enumeration* enumeration : enumerations()) {
    if (enumeration->belongs_to(module) && enumeration->provides(text)) {
      return enumeration->type() ? PyObject_GetAttr(module, name) : nullptr;
    }
  }
  PyErr_Format(
      PyExc_AttributeError, "module '%s' has no attribute '%s'", PyModule_GetName(module), text);
  return nullptr;
}

PyMethodDef getattr_method = {
    "__getattr__", find_attribute, METH_O, "Make an enumeration when it is first used."};

} // namespace

bool Enumeration::add_to(PyObject* module) {
  module_ = module;
  enumerations().push_back(this);
  THPObjectPtr getattr(PyCFunction_New(&getattr_method, module));
  return getattr && PyModule_AddObjectRef(module, getattr_method.ml_name, getattr.get()) == 0;
}

bool Enumeration::provides(std::string_view attribute) const {
  return attribute == name_ ||
      (exports_members_ && std::ranges::any_of(members_, [&](const EnumerationMember& member) {
           return attribute == member.first;
         }));
}

PyObject* Enumeration::make() const {
  THPObjectPtr rows(PyDict_New());
  if (!rows) return nullptr;
  for (const auto& [member, number] : members_) {
    THPObjectPtr value(PyLong_FromLong(number));
    if (!value || PyDict_SetItemString(rows.get(), member, value.get()) != 0) return nullptr;
  }
  THPObjectPtr library(PyImport_ImportModule("enum"));
  THPObjectPtr base(library ? PyObject_GetAttrString(library.get(), "Enum") : nullptr);
  THPObjectPtr args(Py_BuildValue("(sO)", name_, rows.get()));
  THPObjectPtr kwargs(Py_BuildValue("{ss}", "module", PyModule_GetName(module_)));
  return base && args && kwargs ? PyObject_Call(base.get(), args.get(), kwargs.get()) : nullptr;
}

PyObject* Enumeration::type() {
  if (type_) return type_;
  THPObjectPtr made(make());
  if (!made || PyModule_AddObjectRef(module_, name_, made.get()) != 0) return nullptr;
  if (exports_members_) {
    for (const auto& [name, number] : members_) {
      const THPObjectPtr member(PyObject_CallFunction(made.get(), "i", number));
      if (!member || PyModule_AddObjectRef(module_, name, member.get()) != 0) return nullptr;
    }
  }
  type_ = made.get();
  return type_;
}

PyObject* Enumeration::member(int number) {
  PyObject* const enumeration = type();
  return enumeration ? PyObject_CallFunction(enumeration, "i", number) : nullptr;
}

int Enumeration::unpack(PyObject* object, const char* function) {
  PyObject* const enumeration = type();
  const int is_member = enumeration ? PyObject_IsInstance(object, enumeration) : -1;
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
