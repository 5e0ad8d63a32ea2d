#include <torch/csrc/CudaSettings.h>

#include <ATen/Context.h>
#include <torch/csrc/Exceptions.h>

namespace torch {

namespace {

template <bool (at::Context::*get)() const>
PyObject* get_switch(PyObject*, PyObject*) {
  return PyBool_FromLong((at::globalContext().*get)());
}

template <void (at::Context::*set)(bool)>
PyObject* set_switch(PyObject*, PyObject* on) {
  HANDLE_TH_ERRORS
  if (!PyBool_Check(on))
    throw_python(PyExc_RuntimeError, "expected a bool, but got %s", Py_TYPE(on)->tp_name);
  (at::globalContext().*set)(on == Py_True);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* cudnn_version(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  if (!at::Context::hasCuDNN()) Py_RETURN_NONE;
  return PyLong_FromLong(at::detail::getCUDAHooks().versionCuDNN());
  END_HANDLE_TH_ERRORS
}

} // namespace

#define SWITCH(getter, get, setter, set)                           \
  {getter, get_switch<&at::Context::get>, METH_NOARGS, nullptr}, { \
    setter, set_switch<&at::Context::set>, METH_O, nullptr         \
  }

PyMethodDef cuda_setting_methods[] = {
    SWITCH("_get_cudnn_enabled", userEnabledCuDNN, "_set_cudnn_enabled", setUserEnabledCuDNN),
    SWITCH("_get_cudnn_benchmark", benchmarkCuDNN, "_set_cudnn_benchmark", setBenchmarkCuDNN),
    SWITCH(
        "_get_cudnn_deterministic", deterministicCuDNN, "_set_cudnn_deterministic",
        setDeterministicCuDNN),
    SWITCH("_get_cudnn_allow_tf32", allowTF32CuDNN, "_set_cudnn_allow_tf32", setAllowTF32CuDNN),
    SWITCH(
        "_get_cublas_allow_fp16_reduced_precision_reduction", allowFP16ReductionCuBLAS,
        "_set_cublas_allow_fp16_reduced_precision_reduction", setAllowFP16ReductionCuBLAS),
    SWITCH(
        "_get_cublas_allow_bf16_reduced_precision_reduction", allowBF16ReductionCuBLAS,
        "_set_cublas_allow_bf16_reduced_precision_reduction", setAllowBF16ReductionCuBLAS),
    SWITCH(
        "_get_cublas_allow_fp16_accumulation", allowFP16AccumulationCuBLAS,
        "_set_cublas_allow_fp16_accumulation", setAllowFP16AccumulationCuBLAS),
    SWITCH("_get_flash_sdp_enabled", userEnabledFlashSDP, "_set_sdp_use_flash", setSDPUseFlash),
    SWITCH(
        "_get_mem_efficient_sdp_enabled", userEnabledMemEfficientSDP, "_set_sdp_use_mem_efficient",
        setSDPUseMemEfficient),
    SWITCH("_get_math_sdp_enabled", userEnabledMathSDP, "_set_sdp_use_math", setSDPUseMath),
    SWITCH("_get_cudnn_sdp_enabled", userEnabledCuDNNSDP, "_set_sdp_use_cudnn", setSDPUseCuDNN),
    SWITCH(
        "_get_math_sdp_allow_fp16_bf16_reduction", allowFP16BF16ReductionMathSDP,
        "_set_math_sdp_allow_fp16_bf16_reduction", setAllowFP16BF16ReductionMathSDP),
    {"_cudnn_version", cudnn_version, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

#undef SWITCH

} // namespace torch
