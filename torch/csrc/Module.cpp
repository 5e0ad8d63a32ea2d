// torch._C: initModule creates everything that the package needs, in a fixed order.
#include <torch/csrc/python_headers.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/native/TileUnit.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/Autocast.h>
#include <torch/csrc/Config.h>
#include <torch/csrc/ContextSettings.h>
#include <torch/csrc/ConvBackend.h>
#include <torch/csrc/CudaSettings.h>
#include <torch/csrc/DataLoader.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/DeviceAccelerator.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/QScheme.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/SparseTensors.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/Stream.h>
#include <torch/csrc/Event.h>
#include <torch/csrc/TypeInfo.h>
#include <torch/csrc/Warnings.h>
#include <torch/csrc/autograd/python_autograd.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_engine.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_functionalization.h>
#include <torch/csrc/autograd/python_legacy_variable.h>
#include <torch/csrc/autograd/python_operator_profiler.h>
#include <torch/csrc/autograd/python_return_types.h>
#include <torch/csrc/autograd/python_torch_functions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/jit/python/python_schema.h>
#include <torch/csrc/jit/runtime/static/python/init.h>
#include <torch/csrc/lazy/python/init.h>
#include <torch/csrc/monitor/python_init.h>
#include <torch/csrc/multiprocessing/init.h>
#include <torch/csrc/nn/init.h>
#include <torch/csrc/onnx/init.h>
#include <torch/csrc/shm/libshm.h>
#include <torch/csrc/utils/cpp_modules.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/operator_recorder.h>
#include <torch/csrc/utils/python_checked_function.h>
#include <torch/csrc/utils/python_dispatch.h>
#include <torch/csrc/utils/python_guards.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/python_torch_dispatch.h>
#include <torch/csrc/utils/throughput_benchmark.h>
#include <torch/csrc/utils/torch_function.h>

#include <vector>

namespace {

std::vector<PyMethodDef> methods;

int64_t unpack_int(PyObject* object, const char* function) {
  if (!torch::is_int(object)) {
    torch::throw_python(
        PyExc_TypeError, "%s expects an int, but got %s", function, Py_TYPE(object)->tp_name);
  }
  return torch::unpack_scalar(object).toLong();
}

// The package calls this once to pass what only it knows: the location of its programs.
PyObject* THPModule_initExtension(PyObject*, PyObject* shm_manager_path) {
  HANDLE_TH_ERRORS
  const char* const path = PyUnicode_AsUTF8(shm_manager_path);
  if (!path) torch::throw_python_error();
  libshm_init(path);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* set_num_threads(PyObject*, PyObject* threads) {
  HANDLE_TH_ERRORS
  const int64_t count = unpack_int(threads, "set_num_threads");
  TORCH_CHECK(count > 0, "set_num_threads expects a positive integer");
  at::set_num_threads(static_cast<int>(count));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_num_threads(PyObject*, PyObject*) {
  return PyLong_FromLong(at::get_num_threads());
}

PyObject* set_num_interop_threads(PyObject*, PyObject* threads) {
  HANDLE_TH_ERRORS
  at::set_num_interop_threads(static_cast<int>(unpack_int(threads, "set_num_interop_threads")));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_num_interop_threads(PyObject*, PyObject*) {
  return PyLong_FromLong(at::get_num_interop_threads());
}

PyObject* get_default_dtype(PyObject*, PyObject*) {
  return Py_NewRef(THPDtype_Get(c10::get_default_dtype_as_scalartype()));
}

PyObject* set_default_dtype(PyObject*, PyObject* dtype) {
  HANDLE_TH_ERRORS
  if (!THPDtype_Check(dtype)) {
    torch::throw_python(
        PyExc_TypeError,
        "invalid dtype object: only floating-point types are supported as the default type");
  }
  const at::ScalarType type = torch::unpack_dtype(dtype);
  TORCH_CHECK_TYPE(
      c10::isFloatingType(type), "only floating-point types are supported as the default type");
  c10::set_default_dtype(c10::scalarTypeToTypeMeta(type));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* show_config(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(torch::show_config().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* parallel_info(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(at::get_parallel_info().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* cpu_capability(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(torch::cpu_capability_name().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* has_tile_unit(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(at::native::has_tile_unit());
  END_HANDLE_TH_ERRORS
}

PyMethodDef torch_methods[] = {
    {"_initExtension", THPModule_initExtension, METH_O, nullptr},
    {"set_num_threads", set_num_threads, METH_O,
     "set_num_threads(int) -> None\n"
     "\n"
     "Set how many threads an operator may use on the CPU.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the number is not positive."},
    {"get_num_threads", get_num_threads, METH_NOARGS,
     "get_num_threads() -> int\n"
     "\n"
     "Return how many threads an operator may use on the CPU."},
    {"set_num_interop_threads", set_num_interop_threads, METH_O,
     "set_num_interop_threads(int) -> None\n"
     "\n"
     "Set how many threads may run operators at the same time. It can be set once.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the number is not positive, or if it was set or used before."},
    {"get_num_interop_threads", get_num_interop_threads, METH_NOARGS,
     "get_num_interop_threads() -> int\n"
     "\n"
     "Return how many threads may run operators at the same time."},
    {"get_default_dtype", get_default_dtype, METH_NOARGS,
     "get_default_dtype() -> torch.dtype\n"
     "\n"
     "Return the dtype of tensors made from Python floats.\n"
     "\n"
     "Example:\n"
     "    >>> torch.get_default_dtype()\n"
     "    torch.float32"},
    {"_set_default_dtype", set_default_dtype, METH_O, nullptr},
    {"_show_config", show_config, METH_NOARGS, nullptr},
    {"_parallel_info", parallel_info, METH_NOARGS, nullptr},
    {"_get_cpu_capability", cpu_capability, METH_NOARGS, nullptr},
    {"_has_tile_unit", has_tile_unit, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void add_methods(PyMethodDef* table) {
  for (; table->ml_name; ++table)
    methods.push_back(*table);
}

bool add_facts(PyObject* module) {
  const auto add = [module](const char* name, bool value) {
    return PyModule_AddObjectRef(module, name, value ? Py_True : Py_False) == 0;
  };
  return add("has_openmp", at::hasOpenMP()) && add("has_mkl", at::hasMKL()) &&
      add("has_lapack", at::hasLAPACK()) && add("has_cuda", at::hasCUDA()) &&
      add("_has_mkldnn", at::Context::hasMKLDNN()) && add("_GLIBCXX_USE_CXX11_ABI", true);
}

// Initialization functions in order; each may use the results of earlier ones.
constexpr bool (*kInitializers[])(PyObject*) = {
    THPGenerator_init,
    THPException_init,
    THPSize_init,
    THPDtype_init,
    THPDTypeInfo_init,
    THPLayout_init,
    THPMemoryFormat_init,
    THPQScheme_init,
    THPDevice_init,
    THPStream_init,
    THPEvent_init,
    torch::init_torch_function,
    torch::init_torch_dispatch,
    torch::init_sparse_tensors,
    // Tensors and autograd
    THPVariable_initModule,
    torch::autograd::initTorchFunctions,
    torch::autograd::THPCppFunction_init,
    torch::autograd::THPFunction_initModule,
    torch::autograd::THPEngine_initModule,
    torch::autograd::THPAutograd_init,
    // Modules of torch._C
    torch::onnx::initONNXBindings,
    torch::nn::init__THNN,
    torch::nn::init__THCUNN,
    torch::lazy::initLazyBindings,
    torch::jit::static_runtime::init_bindings,
    torch::jit::initSchemaBindings,
    torch::monitor::initMonitorBindings,
    torch::initDispatchBindings,
    torch::init_guards,
    torch::init_checked_function,
    torch::autograd::initReturnTypes,
    torch::autograd::initOperatorModules,
    THPStorage_init,
    torch::cuda::initModule,
    THPConvBackend_init,
    torch::initLinalgBackend,
    torch::init_warnings,
    torch::init_throughput_benchmark,
    torch::autograd::init_legacy_variable,
    torch::python::init_bindings,
    add_facts,
};

} // namespace

extern "C" __attribute__((visibility("default"))) PyObject* initModule() {
  HANDLE_TH_ERRORS
  for (PyMethodDef* table :
       {torch_methods, torch::context_methods, torch::accelerator_methods,
        torch::default_device_methods, torch::autocast_methods, torch::cuda_setting_methods,
        THCPModule_methods(), DataLoaderMethods, torch::autograd::python_functions(),
        torch::multiprocessing::python_functions(), torch::torch_function_methods,
        torch::torch_dispatch_methods, torch::autograd::functionalization_methods,
        torch::recorder_methods, torch::autograd::profiler_methods}) {
    add_methods(table);
  }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "torch._C",
                                   nullptr,
                                   -1,
                                   methods.data(),
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  THPObjectPtr module(PyModule_Create(&definition));
  if (!module) return nullptr;
  for (const auto init : kInitializers)
    if (!init(module.get())) return nullptr;
  return module.release();
  END_HANDLE_TH_ERRORS
}
