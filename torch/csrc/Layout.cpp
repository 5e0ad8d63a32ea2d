#include <torch/csrc/Layout.h>

#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_enum.h>

// PyTorch's pickles, and what it accepts in a weights-only load, name this function.
static PyObject* reduce(PyObject* self, PyObject*) {
  const THPObjectPtr module(PyImport_ImportModule("torch.serialization"));
  if (!module) return nullptr;
  const THPObjectPtr function(PyObject_GetAttrString(module.get(), "_get_layout"));
  if (!function) return nullptr;
  return Py_BuildValue("O(s)", function.get(), reinterpret_cast<THPEnum*>(self)->name);
}

static PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyTypeObject THPLayoutType = torch::make_enum_type(
    "torch.layout", "The layout of a tensor's elements, such as torch.strided.");
static PyObject* layouts[static_cast<int>(c10::Layout::NumOptions)];

bool THPLayout_init(PyObject* module) {
  static constexpr const char* names[] = {
      "torch.strided",    "torch.sparse_coo", "torch.sparse_csr", "torch._mkldnn",
      "torch.sparse_csc", "torch.sparse_bsr", "torch.sparse_bsc", "torch.jagged"};
  THPLayoutType.tp_methods = methods;
  if (PyType_Ready(&THPLayoutType) < 0) return false;
  for (int i = 0; i < static_cast<int>(c10::Layout::NumOptions); ++i) {
    layouts[i] = torch::add_enum_value(module, &THPLayoutType, i, names[i]);
    if (!layouts[i]) return false;
  }
  return PyModule_AddObjectRef(module, "layout", reinterpret_cast<PyObject*>(&THPLayoutType)) == 0;
}

c10::Layout THPLayout_Unpack(PyObject* object) {
  return static_cast<c10::Layout>(reinterpret_cast<THPEnum*>(object)->value);
}

PyObject* THPLayout_Get(c10::Layout layout) {
  return layouts[static_cast<int>(layout)];
}
