// torch._C_flatbuffer: reads and writes mobile archives. torch.jit.mobile makes modules of them,
// and gives this module the functions that PyTorch has here.
#include <torch/csrc/jit/python/mobile/archive.h>

#include <c10/macros/Export.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

#include <cstring>
#include <memory>

namespace {

PyObject* parse(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  Py_buffer buffer;
  if (!PyArg_ParseTuple(args, "y*:_parse", &buffer)) return nullptr;
  const std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> release(&buffer, &PyBuffer_Release);
  return torch::jit::mobile::archive_to_python(
      static_cast<const uint8_t*>(buffer.buf), static_cast<size_t>(buffer.len));
  END_HANDLE_TH_ERRORS
}

PyObject* serialize(PyObject*, PyObject* content) {
  HANDLE_TH_ERRORS
  return torch::jit::mobile::archive_from_python(content);
  END_HANDLE_TH_ERRORS
}

// Module.__getattr__, for the functions of torch.jit.mobile._functions.
PyObject* attribute(PyObject*, PyObject* name) {
  const char* const text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  if (std::strncmp(text, "__", 2) == 0) { // such as __path__, which the import system asks for
    PyErr_Format(PyExc_AttributeError, "module 'torch._C_flatbuffer' has no attribute %R", name);
    return nullptr;
  }
  const THPObjectPtr functions(PyImport_ImportModule("torch.jit.mobile._functions"));
  if (!functions) return nullptr;
  PyObject* const found = PyObject_GetAttr(functions.get(), name);
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Format(PyExc_AttributeError, "module 'torch._C_flatbuffer' has no attribute %R", name);
  }
  return found;
}

PyMethodDef functions[] = {
    {"_parse", parse, METH_VARARGS, nullptr},
    {"_serialize", serialize, METH_O, nullptr},
    {"__getattr__", attribute, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "torch._C_flatbuffer",
    nullptr,
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

extern "C" C10_EXPORT PyObject* initModuleFlatbuffer() {
  return PyModule_Create(&definition);
}
