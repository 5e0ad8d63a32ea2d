#include <torch/csrc/autograd/python_return_types.h>

#include <torch/csrc/utils/object_ptr.h>

#include <cstring>

namespace torch::autograd {
namespace {

// torch.return_types.max(
// values=tensor(2.),
// indices=tensor(0))
PyObject* repr(PyObject* self) {
  THPObjectPtr text(PyUnicode_FromFormat("%s(\n", Py_TYPE(self)->tp_name));
  const PyMemberDef* members = Py_TYPE(self)->tp_members;
  for (Py_ssize_t i = 0; text && i < PyTuple_GET_SIZE(self); ++i) {
    const char* end = i + 1 < PyTuple_GET_SIZE(self) ? ",\n" : ")";
    text = PyUnicode_FromFormat(
        "%U%s=%R%s", text.get(), members[i].name, PyTuple_GET_ITEM(self, i), end);
  }
  return text.release();
}

} // namespace

bool initReturnTypes(PyObject* module) {
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT,
      "torch._C._return_types",
      nullptr,
      -1,
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr};
  THPObjectPtr names(PyModule_Create(&definition));
  if (!names) return false;
  for (ReturnType* const* next = return_types; *next; ++next) {
    ReturnType& each = **next;
    PyStructSequence_Desc description = {each.name, nullptr, each.fields, each.count};
    each.type = PyStructSequence_NewType(&description);
    if (!each.type) return false;
    each.type->tp_repr = repr;
    const char* short_name = std::strrchr(each.name, '.') + 1;
    PyObject* type = reinterpret_cast<PyObject*>(each.type);
    if (PyModule_AddObjectRef(names.get(), short_name, type) < 0) return false;
  }
  return PyModule_AddObject(module, "_return_types", names.release()) == 0;
}

} // namespace torch::autograd
