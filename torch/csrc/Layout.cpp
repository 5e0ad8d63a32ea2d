#include <torch/csrc/Layout.h>

#include <ATen/EmptyTensor.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
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

// Sparse tensors are written in Python, so a factory with such a layout calls it.
static at::TensorBase empty_of_layout(
    at::IntArrayRef size, at::ScalarType dtype, c10::Layout layout, c10::Device device) {
  return torch::with_gil([&]() -> at::TensorBase {
    const THPObjectPtr module(torch::checked(PyImport_ImportModule("torch.sparse._factories")));
    const THPObjectPtr sizes(torch::checked(THPSize_New(size)));
    const THPObjectPtr place(torch::checked(THPDevice_New(device)));
    const THPObjectPtr result(torch::checked(PyObject_CallMethod(
        module.get(), "empty", "OOOO", sizes.get(), THPLayout_Get(layout), THPDtype_Get(dtype),
        place.get())));
    return THPVariable_Unpack(result.get());
  });
}

bool THPLayout_init(PyObject* module) {
  at::detail::set_empty_of_layout(empty_of_layout);
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
