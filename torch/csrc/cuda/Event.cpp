#include <torch/csrc/cuda/Event.h>

#include <c10/cuda/CUDAEvent.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/cuda/Stream.h>
#include <torch/csrc/utils/gil.h>

#include <cstring>
#include <utility>

namespace {

struct THCPEvent {
  PyObject_HEAD c10::cuda::CUDAEvent event;
};

PyTypeObject event_type = torch::static_type("torch._C._CudaEventBase", sizeof(THCPEvent));

c10::cuda::CUDAEvent& unpack(PyObject* self) {
  return reinterpret_cast<THCPEvent*>(self)->event;
}

PyObject* new_event(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"enable_timing", "blocking", "interprocess", "external", nullptr};
  int timing = 0, blocking = 0, interprocess = 0, external = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|pppp:_CudaEventBase", const_cast<char**>(names), &timing, &blocking,
          &interprocess, &external)) {
    return nullptr;
  }
  torch::cuda::lazy_init();
  unsigned int flags = timing ? cudaEventDefault : cudaEventDisableTiming;
  if (blocking) flags |= cudaEventBlockingSync;
  if (interprocess) flags |= cudaEventInterprocess;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&unpack(self)) c10::cuda::CUDAEvent(flags, external != 0);
  return self;
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  {
    const torch::WithoutGil without_gil;
    unpack(self).~CUDAEvent();
  }
  Py_TYPE(self)->tp_free(self);
}

PyObject* record(PyObject* self, PyObject* stream) {
  HANDLE_TH_ERRORS
  unpack(self).record(THCPStream_Unpack(stream));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* wait(PyObject* self, PyObject* stream) {
  HANDLE_TH_ERRORS
  unpack(self).block(THCPStream_Unpack(stream));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* query(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(unpack(self).query());
  END_HANDLE_TH_ERRORS
}

PyObject* elapsed_time(PyObject* self, PyObject* later) {
  HANDLE_TH_ERRORS
  if (!PyType_IsSubtype(Py_TYPE(later), &event_type)) {
    torch::throw_python(
        PyExc_TypeError, "elapsed_time expects a CUDA event, but got %s", Py_TYPE(later)->tp_name);
  }
  return PyFloat_FromDouble(unpack(self).elapsed_time(unpack(later)));
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

PyObject* ipc_handle(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const cudaIpcEventHandle_t handle = unpack(self).ipc_handle();
  return PyBytes_FromStringAndSize(handle.reserved, sizeof(handle.reserved));
  END_HANDLE_TH_ERRORS
}

PyObject* from_ipc_handle(PyObject* type, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* device = nullptr;
  const char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "Oy#:from_ipc_handle", &device, &bytes, &size)) return nullptr;
  cudaIpcEventHandle_t handle;
  TORCH_CHECK(
      size == sizeof(handle.reserved), "cudaIpcEventHandle_t expects byte-like object of size ",
      sizeof(handle.reserved), ", but got ", size);
  std::memcpy(handle.reserved, bytes, sizeof(handle.reserved));
  torch::cuda::lazy_init();
  c10::cuda::CUDAEvent event(
      torch::cuda::unpack_existing_device(device, "from_ipc_handle"), handle);
  auto* const event_class = reinterpret_cast<PyTypeObject*>(type);
  PyObject* const self = event_class->tp_alloc(event_class, 0);
  if (self) new (&unpack(self)) c10::cuda::CUDAEvent(std::move(event));
  return self;
  END_HANDLE_TH_ERRORS
}

PyObject* get_handle(PyObject* self, void*) {
  return PyLong_FromVoidPtr(unpack(self).event());
}

PyObject* get_device(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const c10::cuda::CUDAEvent& event = unpack(self);
  if (!event.isCreated()) Py_RETURN_NONE;
  return THPDevice_New(c10::Device(c10::DeviceType::CUDA, event.device_index()));
  END_HANDLE_TH_ERRORS
}

PyGetSetDef properties[] = {
    {"cuda_event", get_handle, nullptr, "Return the event's cudaEvent_t as a number.", nullptr},
    {"device", get_device, nullptr, "Return the device; None before the first record.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"record", record, METH_O, "Mark the end of the work that the stream has got so far."},
    {"wait", wait, METH_O, "Make the stream's future work wait for the event."},
    {"query", query, METH_NOARGS, "Return whether the work before the event is done."},
    {"elapsed_time", elapsed_time, METH_O, "Return the milliseconds to a later event."},
    {"synchronize", synchronize, METH_NOARGS, "Wait until the work before the event is done."},
    {"ipc_handle", ipc_handle, METH_NOARGS, "Return what other processes open the event by."},
    {"from_ipc_handle", from_ipc_handle, METH_VARARGS | METH_CLASS,
     "Return the event of another process that a handle belongs to."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool THCPEvent_init(PyObject* module) {
  event_type.tp_doc = "A point in the work of a CUDA stream.";
  event_type.tp_flags |= Py_TPFLAGS_BASETYPE;
  event_type.tp_new = new_event;
  event_type.tp_dealloc = dealloc;
  event_type.tp_getset = properties;
  event_type.tp_methods = methods;
  return PyModule_AddType(module, &event_type) == 0;
}
