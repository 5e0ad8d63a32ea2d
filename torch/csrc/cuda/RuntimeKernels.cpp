#include <torch/csrc/cuda/RuntimeKernels.h>

#include <ATen/cuda/NvrtcLibrary.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/DriverApi.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/gil.h>

#include <string>
#include <vector>

namespace torch::cuda {

namespace {

// Modules, functions and streams are numbers in Python.
template <typename Handle>
Handle handle(PyObject* number) {
  void* const pointer = PyLong_AsVoidPtr(number);
  if (PyErr_Occurred()) throw_python_error();
  return static_cast<Handle>(pointer);
}

std::vector<std::string> strings(PyObject* list) {
  const THPObjectPtr items(checked(PySequence_Fast(list, "expected a sequence of options")));
  std::vector<std::string> result;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const char* const text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(items.get(), i));
    if (!text) throw_python_error();
    result.emplace_back(text);
  }
  return result;
}

const c10::cuda::DriverApi& driver() {
  const auto& api = c10::cuda::DriverApi::get();
  TORCH_CHECK(
      api.cuLaunchKernel && api.cuModuleLoadData,
      "kernels that are compiled at run time need a CUDA driver that has ", api.missing);
  return api;
}

PyObject* compile(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  const char* source = nullptr;
  const char* name = nullptr;
  PyObject* options = nullptr;
  if (!PyArg_ParseTuple(args, "ssO:_cuda_compile_kernel", &source, &name, &options)) return nullptr;
  const std::vector<std::string> texts = strings(options);
  at::cuda::RuntimeKernel kernel;
  {
    const WithoutGil without_gil;
    kernel = at::cuda::nvrtc_library().compile(source, name, texts);
  }
  return Py_BuildValue(
      "y#s", kernel.image.data(), static_cast<Py_ssize_t>(kernel.image.size()),
      kernel.lowered_name.c_str());
  END_HANDLE_TH_ERRORS
}

// A module stays loaded: its kernels may still be queued when Python forgets them.
PyObject* load_module(PyObject*, PyObject* image) {
  HANDLE_TH_ERRORS
  const char* const bytes = PyBytes_AsString(image);
  if (!bytes) return nullptr;
  lazy_init();
  C10_CUDA_CHECK(cudaFree(nullptr)); // the driver's functions need the device's context
  CUmodule module = nullptr;
  C10_CUDA_DRIVER_CHECK(driver().cuModuleLoadData(&module, bytes));
  return PyLong_FromVoidPtr(module);
  END_HANDLE_TH_ERRORS
}

// None if the module has no kernel of this name.
PyObject* get_function(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* module = nullptr;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "Os:_cuda_get_kernel", &module, &name)) return nullptr;
  CUfunction function = nullptr;
  const CUresult result = driver().cuModuleGetFunction(&function, handle<CUmodule>(module), name);
  if (result == CUDA_ERROR_NOT_FOUND) Py_RETURN_NONE;
  C10_CUDA_DRIVER_CHECK(result);
  return PyLong_FromVoidPtr(function);
  END_HANDLE_TH_ERRORS
}

// The sizes of a kernel's parameters; None if the driver does not tell.
PyObject* parameter_sizes(PyObject*, PyObject* function) {
  HANDLE_TH_ERRORS
  const auto describe = driver().cuFuncGetParamInfo;
  if (!describe) Py_RETURN_NONE;
  THPObjectPtr sizes(checked(PyList_New(0)));
  size_t offset = 0, bytes = 0;
  while (describe(handle<CUfunction>(function), PyList_GET_SIZE(sizes.get()), &offset, &bytes) ==
         CUDA_SUCCESS) {
    const THPObjectPtr size(checked(PyLong_FromSize_t(bytes)));
    checked(PyList_Append(sizes.get(), size.get()));
  }
  return sizes.release();
  END_HANDLE_TH_ERRORS
}

PyObject* set_shared_memory(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* function = nullptr;
  int bytes = 0;
  if (!PyArg_ParseTuple(args, "Oi:_cuda_set_kernel_shared_memory", &function, &bytes)) {
    return nullptr;
  }
  C10_CUDA_DRIVER_CHECK(driver().cuFuncSetAttribute(
      handle<CUfunction>(function), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// Each argument is the bytes of one parameter; the driver copies them.
PyObject* launch(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *function = nullptr, *stream = nullptr, *arguments = nullptr;
  unsigned grid[3], block[3], shared = 0;
  if (!PyArg_ParseTuple(
          args, "O(III)(III)IOO!:_cuda_launch_kernel", &function, &grid[0], &grid[1], &grid[2],
          &block[0], &block[1], &block[2], &shared, &stream, &PyList_Type, &arguments)) {
    return nullptr;
  }
  std::vector<void*> pointers;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments); ++i) {
    char* const bytes = PyBytes_AsString(PyList_GET_ITEM(arguments, i));
    if (!bytes) return nullptr;
    pointers.push_back(bytes);
  }
  C10_CUDA_DRIVER_CHECK(driver().cuLaunchKernel(
      handle<CUfunction>(function), grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
      handle<CUstream>(stream), pointers.data(), /*extra=*/nullptr));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef runtime_kernel_methods[] = {
    {"_cuda_compile_kernel", compile, METH_VARARGS, nullptr},
    {"_cuda_load_module", load_module, METH_O, nullptr},
    {"_cuda_get_kernel", get_function, METH_VARARGS, nullptr},
    {"_cuda_get_kernel_parameter_sizes", parameter_sizes, METH_O, nullptr},
    {"_cuda_set_kernel_shared_memory", set_shared_memory, METH_VARARGS, nullptr},
    {"_cuda_launch_kernel", launch, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
