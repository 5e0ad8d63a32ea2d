// caffe2.python.caffe2_pybind11_state_gpu: caffe2_pybind11_state in a build with CUDA, and the
// number of its devices.
#include <caffe2/python/pybind_state.h>

#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

namespace caffe2::python {

namespace {

PyObject* num_gpu_devices(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(c10::cuda::device_count());
  END_HANDLE_TH_ERRORS
}

PyMethodDef gpu_methods[] = {
    {"num_gpu_devices", num_gpu_devices, METH_NOARGS,
     "num_gpu_devices(): return the number of CUDA devices."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef gpu_definition = {
    PyModuleDef_HEAD_INIT,
    "caffe2_pybind11_state_gpu",
    "Workspaces and nets of Caffe2, for caffe2.python on CUDA devices.",
    -1,
    gpu_methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

} // namespace caffe2::python

extern "C" C10_EXPORT PyObject* initCaffe2GpuModule() {
  using namespace caffe2::python;
  THPObjectPtr module(PyModule_Create(&gpu_definition));
  const bool complete = module && add_methods(module.get()) &&
      PyModule_AddObjectRef(module.get(), "has_gpu_support", Py_True) == 0;
  return complete ? module.release() : nullptr;
}
