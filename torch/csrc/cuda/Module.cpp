#include <torch/csrc/cuda/Module.h>

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDASyncDebug.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Event.h>
#include <torch/csrc/cuda/Graph.h>
#include <torch/csrc/cuda/Ipc.h>
#include <torch/csrc/cuda/Libraries.h>
#include <torch/csrc/cuda/MemPool.h>
#include <torch/csrc/cuda/Memory.h>
#include <torch/csrc/cuda/Nccl.h>
#include <torch/csrc/cuda/Nvtx.h>
#include <torch/csrc/cuda/RuntimeKernels.h>
#include <torch/csrc/cuda/Stream.h>
#include <torch/csrc/utils/gil.h>

#include <pthread.h>

#if __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#endif

#include <atomic>
#include <vector>

namespace torch::cuda {

c10::DeviceIndex unpack_existing_device(PyObject* object, const char* function) {
  const c10::DeviceIndex device = unpack_index(object, function);
  TORCH_CHECK(
      device >= 0 && device < c10::cuda::device_count(), "Invalid device argument ",
      static_cast<int>(device), ": did you call init?");
  return device;
}

namespace {

// ---- the first use, and forks after it

std::atomic<bool> initialized{false};
std::atomic<bool> in_bad_fork{false};

// A forked process has none of the driver's threads, so CUDA that has started cannot be used there.
void watch_forks() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] {
    in_bad_fork = true;
    initialized = false;
  });
}

PyObject* init(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(!in_bad_fork, "CUDA cannot be initialized in a forked process");
  watch_forks();
  {
    const WithoutGil without_gil;
    c10::cuda::device_count_ensure_non_zero();
  }
  initialized = true;
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* is_in_bad_fork(PyObject*, PyObject*) {
  return PyBool_FromLong(in_bad_fork);
}

PyObject* default_generators(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const c10::DeviceIndex count = c10::cuda::device_count();
  THPObjectPtr generators(checked(PyTuple_New(count)));
  for (c10::DeviceIndex i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(
        generators.get(), i,
        checked(THPGenerator_Wrap(at::cuda::detail::getDefaultCUDAGenerator(i))));
  }
  return generators.release();
  END_HANDLE_TH_ERRORS
}

// ---- devices

PyObject* device_count(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  // The driver starts when it is asked, and then belongs to this process.
  watch_forks();
  return PyLong_FromLong(c10::cuda::device_count());
  END_HANDLE_TH_ERRORS
}

PyObject* get_device(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(c10::cuda::current_device());
  END_HANDLE_TH_ERRORS
}

PyObject* set_device(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const c10::DeviceIndex index = unpack_index(device, "setDevice");
  lazy_init();
  c10::cuda::set_device(index);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// Returns the device before; a negative index changes nothing.
PyObject* exchange_device(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const c10::DeviceIndex index = unpack_index(device, "exchangeDevice");
  if (index < 0) return PyLong_FromLong(-1);
  lazy_init();
  return PyLong_FromLong(c10::cuda::exchange_device(index));
  END_HANDLE_TH_ERRORS
}

PyObject* synchronize(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS {
    const WithoutGil without_gil;
    c10::cuda::device_synchronize();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* can_access_peer(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *device = nullptr, *peer = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_cuda_canDeviceAccessPeer", &device, &peer)) return nullptr;
  return PyBool_FromLong(at::cuda::canDeviceAccessPeer(
      unpack_index(device, "canDeviceAccessPeer"), unpack_index(peer, "canDeviceAccessPeer")));
  END_HANDLE_TH_ERRORS
}

PyObject* has_primary_context(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(
      at::detail::getCUDAHooks().hasPrimaryContext(unpack_index(device, "hasPrimaryContext")));
  END_HANDLE_TH_ERRORS
}

PyObject* device_properties(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const cudaDeviceProp& properties =
      c10::cuda::device_properties(unpack_existing_device(device, "_cuda_getDeviceProperties"));
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "name", PyUnicode_FromString(properties.name));
  set_item(dict.get(), "major", properties.major);
  set_item(dict.get(), "minor", properties.minor);
  set_item(dict.get(), "total_memory", static_cast<int64_t>(properties.totalGlobalMem));
  set_item(dict.get(), "multi_processor_count", properties.multiProcessorCount);
  set_item(dict.get(), "max_threads_per_multi_processor", properties.maxThreadsPerMultiProcessor);
  set_item(dict.get(), "max_threads_per_block", properties.maxThreadsPerBlock);
  set_item(dict.get(), "warp_size", properties.warpSize);
  set_item(dict.get(), "regs_per_block", properties.regsPerBlock);
  set_item(
      dict.get(), "shared_memory_per_block", static_cast<int64_t>(properties.sharedMemPerBlock));
  set_item(
      dict.get(), "shared_memory_per_block_optin",
      static_cast<int64_t>(properties.sharedMemPerBlockOptin));
  set_item(
      dict.get(), "shared_memory_per_multiprocessor",
      static_cast<int64_t>(properties.sharedMemPerMultiprocessor));
  set_item(dict.get(), "L2_cache_size", properties.l2CacheSize);
  set_item(dict.get(), "is_integrated", properties.integrated);
  set_item(dict.get(), "is_multi_gpu_board", properties.isMultiGpuBoard);
  set_item(dict.get(), "memory_bus_width", properties.memoryBusWidth);
  set_item(dict.get(), "pci_bus_id", properties.pciBusID);
  set_item(dict.get(), "pci_device_id", properties.pciDeviceID);
  set_item(dict.get(), "pci_domain_id", properties.pciDomainID);
  set_item(
      dict.get(), "uuid",
      PyBytes_FromStringAndSize(properties.uuid.bytes, sizeof(properties.uuid.bytes)));
  return dict.release();
  END_HANDLE_TH_ERRORS
}

// ---- the build and the runtime

PyObject* compiled_version(PyObject*, PyObject*) {
  return PyLong_FromLong(CUDART_VERSION);
}

PyObject* arch_flags(PyObject*, PyObject*) {
#ifdef TORCH_CUDA_ARCH_FLAGS
  return PyUnicode_FromString(TORCH_CUDA_ARCH_FLAGS);
#else
  Py_RETURN_NONE;                      // the emulated device runs C++
#endif
}

PyObject* error_string(PyObject*, PyObject* code) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(cudaGetErrorString(static_cast<cudaError_t>(unpack_long(code))));
  END_HANDLE_TH_ERRORS
}

PyObject* profiler_start(PyObject*, PyObject*) {
#if __has_include(<cuda_profiler_api.h>)
  return PyLong_FromLong(cudaProfilerStart());
#else
  return PyLong_FromLong(cudaSuccess); // no profiler looks at the emulated device
#endif
}

PyObject* profiler_stop(PyObject*, PyObject*) {
#if __has_include(<cuda_profiler_api.h>)
  return PyLong_FromLong(cudaProfilerStop());
#else
  return PyLong_FromLong(cudaSuccess);
#endif
}

// ---- what debugging and other libraries ask for

PyObject* get_sync_debug_mode(PyObject*, PyObject*) {
  return PyLong_FromLong(static_cast<long>(c10::cuda::sync_debug_mode()));
}

PyObject* set_sync_debug_mode(PyObject*, PyObject* mode) {
  HANDLE_TH_ERRORS
  const long number = PyLong_AsLong(mode);
  if (number == -1 && PyErr_Occurred()) return nullptr;
  TORCH_CHECK(
      number >= 0 && number <= 2,
      "invalid value of debug_mode, expected one of `default`, `warn`, `error`");
  c10::cuda::set_sync_debug_mode(static_cast<c10::cuda::SyncDebugMode>(number));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef device_methods[] = {
    {"_cuda_init", init, METH_NOARGS, nullptr},
    {"_cuda_isInBadFork", is_in_bad_fork, METH_NOARGS, nullptr},
    {"_cuda_defaultGenerators", default_generators, METH_NOARGS, nullptr},
    {"_cuda_getDeviceCount", device_count, METH_NOARGS, nullptr},
    {"_cuda_getDevice", get_device, METH_NOARGS, nullptr},
    {"_cuda_setDevice", set_device, METH_O, nullptr},
    {"_cuda_exchangeDevice", exchange_device, METH_O, nullptr},
    {"_cuda_maybeExchangeDevice", exchange_device, METH_O, nullptr},
    {"_cuda_synchronize", synchronize, METH_NOARGS, nullptr},
    {"_cuda_canDeviceAccessPeer", can_access_peer, METH_VARARGS, nullptr},
    {"_cuda_hasPrimaryContext", has_primary_context, METH_O, nullptr},
    {"_cuda_getDeviceProperties", device_properties, METH_O, nullptr},
    {"_cuda_getCompiledVersion", compiled_version, METH_NOARGS, nullptr},
    {"_cuda_getArchFlags", arch_flags, METH_NOARGS, nullptr},
    {"_cuda_getErrorString", error_string, METH_O, nullptr},
    {"_cuda_profilerStart", profiler_start, METH_NOARGS, nullptr},
    {"_cuda_profilerStop", profiler_stop, METH_NOARGS, nullptr},
    {"_cuda_get_sync_debug_mode", get_sync_debug_mode, METH_NOARGS, nullptr},
    {"_cuda_set_sync_debug_mode", set_sync_debug_mode, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// The Python exception for a device's error, or nullptr for any other error.
PyObject* exception_of(const c10::Error& error) {
  return dynamic_cast<const c10::AcceleratorError*>(&error) ? THPException_AcceleratorError
                                                            : nullptr;
}

} // namespace

void lazy_init() {
  if (initialized) return;
  const THPObjectPtr module(checked(PyImport_ImportModule("torch.cuda")));
  const THPObjectPtr none(checked(PyObject_CallMethod(module.get(), "_lazy_init", nullptr)));
}

bool initModule(PyObject* module) {
  device_error_type = exception_of;
  return THCPStream_init(module) && THCPEvent_init(module) && THCPGraph_init(module) &&
      initNvtxBindings(module);
}

} // namespace torch::cuda

PyMethodDef* THCPModule_methods() {
  static std::vector<PyMethodDef> methods = [] {
    std::vector<PyMethodDef> all;
    for (PyMethodDef* table :
         {torch::cuda::device_methods, torch::cuda::memory_methods, torch::cuda::stream_methods,
          torch::cuda::graph_methods, torch::cuda::pool_methods, torch::cuda::library_methods,
          torch::cuda::runtime_kernel_methods, torch::cuda::nccl_methods,
          torch::cuda::ipc_methods}) {
      for (; table->ml_name; ++table)
        all.push_back(*table);
    }
    all.push_back({nullptr, nullptr, 0, nullptr});
    return all;
  }();
  return methods.data();
}
