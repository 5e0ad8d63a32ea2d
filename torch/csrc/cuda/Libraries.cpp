#include <torch/csrc/cuda/Libraries.h>

#include <ATen/cuda/CUDABlas.h>
#include <ATen/cuda/CUDADnn.h>
#include <ATen/cuda/CUDAFft.h>
#include <ATen/native/cuda/LinalgLibrary.h>
#include <torch/csrc/cuda/Arguments.h>

#include <limits>

namespace torch::cuda {

namespace {

PyObject* current_blas_handle(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(at::cuda::blas::current_handle());
  END_HANDLE_TH_ERRORS
}

PyObject* current_solver_handle(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(at::native::linalg_library().solver_handle());
  END_HANDLE_TH_ERRORS
}

PyObject* workspace_size(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromSize_t(at::cuda::blas::workspace_size());
  END_HANDLE_TH_ERRORS
}

PyObject* set_workspace_size(PyObject*, PyObject* bytes) {
  HANDLE_TH_ERRORS
  const size_t size = PyLong_AsSize_t(bytes);
  if (PyErr_Occurred()) return nullptr;
  at::cuda::blas::set_workspace_size(size);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* benchmark_limit(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(at::cuda::dnn::benchmark_limit());
  END_HANDLE_TH_ERRORS
}

PyObject* set_benchmark_limit(PyObject*, PyObject* limit) {
  HANDLE_TH_ERRORS
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(limit, &overflow);
  if (PyErr_Occurred()) return nullptr;
  TORCH_CHECK_VALUE(
      overflow == 0 && number >= 0 && number <= std::numeric_limits<int>::max(),
      "torch.backends.cudnn.benchmark_limit must be a number from 0 to 2147483647");
  at::cuda::dnn::set_benchmark_limit(static_cast<int>(number));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// ---- the plans of cuFFT

c10::DeviceIndex unpack_device(PyObject* device) {
  return unpack_existing_device(device, "cufft_plan_cache");
}

PyObject* plan_cache_size(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return PyLong_FromLongLong(at::cuda::fft::plan_cache_info(unpack_device(device)).size);
  END_HANDLE_TH_ERRORS
}

PyObject* plan_cache_max_size(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return PyLong_FromLongLong(at::cuda::fft::plan_cache_info(unpack_device(device)).max_size);
  END_HANDLE_TH_ERRORS
}

PyObject* set_plan_cache_max_size(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* device = nullptr;
  long long size = 0;
  if (!PyArg_ParseTuple(args, "OL:_cufft_set_plan_cache_max_size", &device, &size)) return nullptr;
  at::cuda::fft::set_plan_cache_max_size(unpack_device(device), size);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* clear_plan_cache(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  at::cuda::fft::clear_plan_cache(unpack_device(device));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef library_methods[] = {
    {"_cuda_getCurrentBlasHandle", current_blas_handle, METH_NOARGS, nullptr},
    {"_cuda_getCurrentSolverHandle", current_solver_handle, METH_NOARGS, nullptr},
    {"_cuda_getCublasWorkspaceSize", workspace_size, METH_NOARGS, nullptr},
    {"_cuda_setCublasWorkspaceSize", set_workspace_size, METH_O, nullptr},
    {"_cuda_get_cudnn_benchmark_limit", benchmark_limit, METH_NOARGS, nullptr},
    {"_cuda_set_cudnn_benchmark_limit", set_benchmark_limit, METH_O, nullptr},
    {"_cufft_get_plan_cache_size", plan_cache_size, METH_O, nullptr},
    {"_cufft_get_plan_cache_max_size", plan_cache_max_size, METH_O, nullptr},
    {"_cufft_set_plan_cache_max_size", set_plan_cache_max_size, METH_VARARGS, nullptr},
    {"_cufft_clear_plan_cache", clear_plan_cache, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
