#include <torch/csrc/Event.h>

#include <ATen/DeviceAccelerator.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Stream.h>
#include <torch/csrc/utils/gil.h>

#include <new>

namespace {

c10::Event& unpack(PyObject* self) {
  return *reinterpret_cast<THPEvent*>(self)->event;
}

PyObject* allocate(PyTypeObject* type, c10::DeviceType device, c10::EventFlag flag) {
  c10::Event event(device, flag); // or raises
  PyObject* const self = torch::checked(type->tp_alloc(type, 0));
  new (&reinterpret_cast<THPEvent*>(self)->event) std::optional<c10::Event>(std::move(event));
  return self;
}

// Event(device=None, *, enable_timing=False, blocking=False, interprocess=False)
PyObject* new_event(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"device", "enable_timing", "blocking", "interprocess", nullptr};
  PyObject* device = Py_None;
  int timing = 0, blocking = 0, interprocess = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|O$ppp:Event", const_cast<char**>(names), &device, &timing, &blocking,
          &interprocess)) {
    return nullptr;
  }
  const c10::DeviceType wanted = device == Py_None
      ? at::accelerator::getAccelerator().value_or(c10::DeviceType::CPU)
      : torch::unpack_device(device).type();
  return allocate(
      type, wanted, timing ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT);
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  reinterpret_cast<THPEvent*>(self)->event.reset();
  Py_TYPE(self)->tp_free(self);
}

unsigned long long id_of(const c10::Event& event) {
  return reinterpret_cast<uintptr_t>(event.eventId());
}

PyObject* repr(PyObject* self) {
  HANDLE_TH_ERRORS
  const c10::Event& event = unpack(self);
  return PyUnicode_FromFormat(
      "torch.Event device_type=%s, device_index=%d, event_flag=%d, event_id=%llu",
      c10::DeviceTypeName(event.device().type(), true).c_str(), event.device().index(),
      static_cast<int>(event.flag()), id_of(event));
  END_HANDLE_TH_ERRORS
}

// The stream that a method got, or by default the current one of the event's device.
c10::Stream stream_of(const c10::Event& event, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", nullptr};
  PyObject* stream = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &stream)) {
    torch::throw_python_error();
  }
  if (stream == Py_None) {
    const auto* const guard = c10::impl::getDeviceGuardImpl(event.device().type());
    return guard->getStream(guard->getDevice());
  }
  if (!PyObject_TypeCheck(stream, &THPStreamType)) {
    torch::throw_python(
        PyExc_TypeError, "expected a torch.Stream, but got %s", Py_TYPE(stream)->tp_name);
  }
  return reinterpret_cast<THPStream*>(stream)->stream;
}

PyObject* record(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  unpack(self).record(stream_of(unpack(self), args, kwargs));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* wait(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  unpack(self).block(stream_of(unpack(self), args, kwargs));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* query(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(unpack(self).query());
  END_HANDLE_TH_ERRORS
}

PyObject* synchronize(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS {
    const torch::WithoutGil guard;
    unpack(self).synchronize();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* elapsed_time(PyObject* self, PyObject* later) {
  HANDLE_TH_ERRORS
  if (!THPEvent_Check(later)) {
    torch::throw_python(
        PyExc_TypeError, "expected a torch.Event, but got %s", Py_TYPE(later)->tp_name);
  }
  const c10::Event &first = unpack(self), &second = unpack(later);
  TORCH_CHECK_VALUE(
      first.device().type() == second.device().type(), "Events of ", first.device().type(), " and ",
      second.device().type(), " have no time in common.");
  TORCH_CHECK_VALUE(
      first.flag() == c10::EventFlag::BACKEND_DEFAULT &&
          second.flag() == c10::EventFlag::BACKEND_DEFAULT,
      "Both events must be created with argument 'enable_timing=True'.");
  TORCH_CHECK_VALUE(
      first.was_marked_for_recording() && second.was_marked_for_recording(),
      "Both events must be recorded before calculating elapsed time.");
  return PyFloat_FromDouble(first.elapsedTime(second));
  END_HANDLE_TH_ERRORS
}

PyObject* refuse_sharing(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError, "events cannot be shared between processes");
  return nullptr;
}

PyObject* get_device(PyObject* self, void*) {
  return THPDevice_New(unpack(self).device());
}
PyObject* get_event_id(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(id_of(unpack(self)));
}

PyCFunction with_keywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyGetSetDef properties[] = {
    {"device", get_device, nullptr, "Return the event's device.", nullptr},
    {"event_id", get_event_id, nullptr, "Return the address of the device's own event.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"record", with_keywords(record), METH_VARARGS | METH_KEYWORDS,
     "record(stream=None) -> None\n"
     "\n"
     "Mark the work submitted so far to a stream, by default the current one.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the stream is of another device type, or its device has no events."},
    {"wait", with_keywords(wait), METH_VARARGS | METH_KEYWORDS,
     "wait(stream=None) -> None\n"
     "\n"
     "Make future work of a stream, by default the current one, wait for the marked work."},
    {"query", query, METH_NOARGS,
     "query() -> bool\n"
     "\n"
     "Return whether the marked work is done; True if nothing was recorded."},
    {"synchronize", synchronize, METH_NOARGS,
     "synchronize() -> None\n"
     "\n"
     "Wait until the marked work is done."},
    {"elapsed_time", elapsed_time, METH_O,
     "elapsed_time(end_event) -> float\n"
     "\n"
     "Return the time between two recorded events in milliseconds.\n"
     "\n"
     "Raises:\n"
     "    ValueError: If one of them was not recorded, or they are of different device types."},
    {"ipc_handle", with_keywords(refuse_sharing), METH_VARARGS | METH_KEYWORDS,
     "ipc_handle() -> bytes\n"
     "\n"
     "Raise NotImplementedError: events stay in their process."},
    {"from_ipc_handle", with_keywords(refuse_sharing), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_ipc_handle(device, ipc_handle) -> Event\n"
     "\n"
     "Raise NotImplementedError: events stay in their process."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyTypeObject THPEventType = torch::static_type("torch.Event", sizeof(THPEvent));

PyObject* THPEvent_New(c10::DeviceType type) {
  return allocate(&THPEventType, type, c10::EventFlag::PYTORCH_DEFAULT);
}

bool THPEvent_init(PyObject* module) {
  THPEventType.tp_doc =
      "Event(device=None, *, enable_timing=False, blocking=False, interprocess=False)\n"
      "--\n"
      "\n"
      "A mark in the work of a stream, which others can wait for.\n"
      "\n"
      "Args:\n"
      "    device: The device; by default the accelerator, or the CPU if there is none.\n"
      "    enable_timing: Whether the time between events can be measured.\n"
      "    blocking: Accepted; how to wait is up to the device.\n"
      "    interprocess: Accepted; events stay in their process.\n"
      "\n"
      "Example:\n"
      "    >>> torch.Event(\"cpu\").query()\n"
      "    True";
  THPEventType.tp_flags |= Py_TPFLAGS_BASETYPE;
  THPEventType.tp_new = new_event;
  THPEventType.tp_dealloc = dealloc;
  THPEventType.tp_repr = repr;
  THPEventType.tp_getset = properties;
  THPEventType.tp_methods = methods;
  return PyModule_AddType(module, &THPEventType) == 0;
}
