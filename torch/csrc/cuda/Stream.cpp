#include <torch/csrc/cuda/Stream.h>

#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/gil.h>

using c10::cuda::CUDAStream;

namespace {

CUDAStream unpack(PyObject* self) {
  return CUDAStream(reinterpret_cast<THPStream*>(self)->stream);
}

c10::Stream from_numbers(c10::StreamId id, int index, int type) {
  TORCH_CHECK(
      type == static_cast<int>(c10::DeviceType::CUDA), "expected the number of a CUDA stream");
  const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
  return {c10::Stream::UNSAFE, device, id};
}

c10::Stream make_stream(
    int priority, unsigned long long id, int index, int type, unsigned long long pointer) {
  if (id != 0 || type != 0) {
    return from_numbers(static_cast<c10::StreamId>(id), index, type);
  }
  if (pointer != 0) {
    return c10::cuda::getStreamFromExternal(
        reinterpret_cast<cudaStream_t>(pointer), c10::cuda::current_device());
  }
  return c10::cuda::getStreamFromPool(priority, c10::cuda::current_device());
}

// _CudaStreamBase(priority=0, stream_id=0, device_index=0, device_type=0, stream_ptr=0)
PyObject* new_stream(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"priority",    "stream_id",  "device_index",
                                "device_type", "stream_ptr", nullptr};
  int priority = 0, device_index = 0, device_type = 0;
  unsigned long long id = 0, pointer = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|iKiiK:_CudaStreamBase", const_cast<char**>(names), &priority, &id,
          &device_index, &device_type, &pointer)) {
    return nullptr;
  }
  torch::cuda::lazy_init();
  const c10::Stream stream = make_stream(priority, id, device_index, device_type, pointer);
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&reinterpret_cast<THPStream*>(self)->stream) c10::Stream(stream);
  return self;
  END_HANDLE_TH_ERRORS
}

PyObject* query(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(unpack(self).query());
  END_HANDLE_TH_ERRORS
}

PyObject* synchronize(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS {
    const torch::WithoutGil without_gil;
    unpack(self).synchronize();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* priority_range(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const auto [lowest, highest] = CUDAStream::priority_range();
  return Py_BuildValue("(ii)", lowest, highest);
  END_HANDLE_TH_ERRORS
}

PyObject* get_handle(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(unpack(self).stream());
  END_HANDLE_TH_ERRORS
}
PyObject* get_priority(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(unpack(self).priority());
  END_HANDLE_TH_ERRORS
}

PyGetSetDef properties[] = {
    {"cuda_stream", get_handle, nullptr, "Return the stream's cudaStream_t as a number.", nullptr},
    {"priority", get_priority, nullptr, "Return the priority; lower numbers come first.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"query", query, METH_NOARGS, "Return whether all work submitted to the stream is done."},
    {"synchronize", synchronize, METH_NOARGS, "Wait until the stream's work is done."},
    {"priority_range", priority_range, METH_NOARGS | METH_STATIC,
     "Return the lowest and the highest priority of streams."},
    {nullptr, nullptr, 0, nullptr}};

// ---- functions of torch._C

PyObject* triple(const CUDAStream& stream) {
  return Py_BuildValue(
      "(Lii)", static_cast<long long>(stream.id()), static_cast<int>(stream.device_index()),
      static_cast<int>(c10::DeviceType::CUDA));
}

PyObject* current_stream(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return triple(
      c10::cuda::getCurrentCUDAStream(torch::cuda::unpack_index(device, "_cuda_getCurrentStream")));
  END_HANDLE_TH_ERRORS
}

PyObject* current_raw_stream(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(c10::cuda::getCurrentCUDAStream(
                                torch::cuda::unpack_index(device, "_cuda_getCurrentRawStream"))
                                .stream());
  END_HANDLE_TH_ERRORS
}

PyObject* default_stream(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  return triple(
      c10::cuda::getDefaultCUDAStream(torch::cuda::unpack_index(device, "_cuda_getDefaultStream")));
  END_HANDLE_TH_ERRORS
}

PyObject* external_stream(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  unsigned long long pointer = 0;
  PyObject* device = nullptr;
  if (!PyArg_ParseTuple(args, "KO:_cuda_getStreamFromExternal", &pointer, &device)) return nullptr;
  return triple(c10::cuda::getStreamFromExternal(
      reinterpret_cast<cudaStream_t>(pointer),
      torch::cuda::unpack_index(device, "_cuda_getStreamFromExternal")));
  END_HANDLE_TH_ERRORS
}

PyObject* set_stream(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"stream_id", "device_index", "device_type", nullptr};
  long long id = 0;
  int device_index = 0, device_type = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|Lii:_cuda_setStream", const_cast<char**>(names), &id, &device_index,
          &device_type)) {
    return nullptr;
  }
  const CUDAStream stream(from_numbers(id, device_index, device_type));
  if (c10::cuda::current_device() != stream.device_index())
    c10::cuda::set_device(stream.device_index());
  c10::cuda::setCurrentCUDAStream(stream);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyTypeObject THCPStreamType = torch::static_type("torch._C._CudaStreamBase", sizeof(THPStream));

CUDAStream THCPStream_Unpack(PyObject* object) {
  if (!PyType_IsSubtype(Py_TYPE(object), &THPStreamType)) {
    torch::throw_python(
        PyExc_TypeError, "expected a CUDA stream, but got %s", Py_TYPE(object)->tp_name);
  }
  return unpack(object);
}

bool THCPStream_init(PyObject* module) {
  THCPStreamType.tp_doc = "A queue of work on a CUDA device.";
  THCPStreamType.tp_base = &THPStreamType;
  THCPStreamType.tp_flags |= Py_TPFLAGS_BASETYPE;
  THCPStreamType.tp_new = new_stream;
  THCPStreamType.tp_getset = properties;
  THCPStreamType.tp_methods = methods;
  return PyModule_AddType(module, &THCPStreamType) == 0;
}

namespace torch::cuda {

void wait_for_stream_of_another_library(unsigned long long handle, c10::DeviceIndex device) {
  const CUDAStream current = c10::cuda::getCurrentCUDAStream(device);
  const CUDAStream other = handle <= 1
      ? c10::cuda::getDefaultCUDAStream(device)
      : c10::cuda::getStreamFromExternal(reinterpret_cast<cudaStream_t>(handle), device);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(current.stream(), &status));
  if (other.stream() == current.stream() || status != cudaStreamCaptureStatusNone) return;
  c10::cuda::CUDAEvent event;
  event.record(other);
  event.block(current);
}

PyMethodDef stream_methods[] = {
    {"_cuda_getCurrentStream", current_stream, METH_O, nullptr},
    {"_cuda_getCurrentRawStream", current_raw_stream, METH_O, nullptr},
    {"_cuda_getDefaultStream", default_stream, METH_O, nullptr},
    {"_cuda_getStreamFromExternal", external_stream, METH_VARARGS, nullptr},
    {"_cuda_setStream", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_stream)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
